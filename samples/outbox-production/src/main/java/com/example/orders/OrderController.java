package com.example.orders;

import java.security.Principal;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {
    private final Orders orders;

    OrderController(Orders orders) {
        this.orders = orders;
    }

    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    String place(Principal customer, @RequestParam("item") String item, @RequestParam("pieces") int pieces) {
        return orders.place(customer.getName(), item, pieces);
    }
}
