package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import outbox.spring.boot.test.OutboxTest;
import outbox.spring.boot.test.TestOutbox;

/** Handlers alone, without a web server and without Kafka: the tests to write most of. */
@OutboxTest(include = Orders.class, properties = "outbox.kafka.enabled=false")
class StockTest {
    @Autowired
    Orders orders;

    @Autowired
    TestOutbox outbox;

    @Autowired
    JdbcTemplate jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        Servers.register(registry);
    }

    private int reserved(String item) {
        return jdbc.queryForObject("SELECT reserved FROM stock WHERE item = ?", Integer.class, item);
    }

    @Test
    void anOrderReservesItsPieces() {
        int before = reserved("chair");
        String order = orders.place("shop", "chair", 4);

        outbox.published(OrderPlaced.class).withKey(order).once();
        outbox.drain();
        assertThat(reserved("chair")).isEqualTo(before + 4);
    }

    @Test
    void aCrashReservesNothingTwice() {
        outbox.deliverTwice(OrderPlaced.of("42", "shop", "table", 1), () -> reserved("table"));
    }

    @Test
    void anUnknownItemIsADeadLetterAtOnce() {
        orders.place("shop", "spaceship", 1);

        outbox.drain();
        outbox.published(OrderPlaced.class).isDead();
    }
}
