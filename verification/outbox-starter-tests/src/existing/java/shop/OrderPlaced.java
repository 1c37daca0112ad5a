package shop;

import outbox.domain.EventName;

@EventName("order.placed")
record OrderPlaced(String order, String customer, String item) {}
