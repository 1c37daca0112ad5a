package com.example.orders;

import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.domain.DomainEventPublisher;

@Service
public class Orders {
    private final JdbcTemplate jdbc;
    private final DomainEventPublisher events;

    Orders(JdbcTemplate jdbc, DomainEventPublisher events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    /** The order and its event are committed together, or neither is. */
    @Transactional
    public String place(String customer, String item, int pieces) {
        String orderId = UUID.randomUUID().toString();
        jdbc.update(
                "INSERT INTO orders (id, customer, item, pieces) VALUES (?, ?, ?, ?)", orderId, customer, item, pieces);
        events.publish(OrderPlaced.of(orderId, customer, item, pieces));
        return orderId;
    }
}
