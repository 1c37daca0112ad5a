package com.example.orders;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import outbox.domain.handler.EventHandler;

@Component
public class Stock {
    private final JdbcTemplate jdbc;

    Stock(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Transactional: a crash between the update and the outcome rolls both back, so nothing is reserved twice. */
    @EventHandler(name = "stock", transactional = true, deadOn = UnknownItemException.class)
    void reserve(OrderPlaced event) {
        int rows = jdbc.update("UPDATE stock SET reserved = reserved + ? WHERE item = ?", event.pieces(), event.item());
        if (rows == 0) {
            throw new UnknownItemException(event.item());
        }
    }

    /** No retry would help: the event is a dead letter at once, and an operator decides. */
    static class UnknownItemException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnknownItemException(String item) {
            super("there is no item " + item + " in the stock");
        }
    }
}
