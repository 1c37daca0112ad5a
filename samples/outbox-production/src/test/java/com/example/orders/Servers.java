package com.example.orders;

import java.util.LinkedHashMap;
import java.util.Map;
import org.springframework.test.context.DynamicPropertyRegistry;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** A real PostgreSQL and a real Kafka, started once for all tests, and what the environment says in production. */
final class Servers {
    private Servers() {}

    static Map<String, String> environment(TestDatabase database) {
        Map<String, String> variables = new LinkedHashMap<>();
        variables.put("ORDERS_DB_URL", database.jdbcUrl());
        variables.put("ORDERS_DB_USER", database.username());
        variables.put("ORDERS_DB_PASSWORD", database.password());
        variables.put("ORDERS_KAFKA", EmbeddedKafka.shared());
        variables.put("ORDERS_CONTROL_SECRET", "c2VjcmV0IG9mIHRoZSB0ZXN0cywgMzIgYnl0ZXMgbG9uZw==");
        variables.put("ORDERS_CI_TOKEN", "0123456789abcdef0123456789abcdef");
        variables.put("ORDERS_SHOP_PASSWORD", "{noop}shop-password");
        variables.put("ORDERS_OPS_PASSWORD", "{noop}ops-password");
        variables.put("ORDERS_PROMETHEUS_PASSWORD", "{noop}prometheus-password");
        return variables;
    }

    /** For {@code @DynamicPropertySource}: an empty database for each test class. */
    static void register(DynamicPropertyRegistry registry) {
        environment(EmbeddedPostgres.shared().freshDatabase())
                .forEach((name, value) -> registry.add(name, () -> value));
    }
}
