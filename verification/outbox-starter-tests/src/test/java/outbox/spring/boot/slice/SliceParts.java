package outbox.spring.boot.slice;

import java.time.Instant;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventPublisher;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;

/** What the application is made of. Not nested in its configuration: that would make them part of it. */
final class SliceParts {
    private SliceParts() {}

    @EventName("order.placed")
    record OrderPlaced(String eventId, Instant occurredAt, String orderId) implements DomainEvent {
        OrderPlaced(String orderId) {
            this(DomainEvent.newId(), Instant.now(), orderId);
        }

        @Override
        public String aggregateId() {
            return orderId;
        }
    }

    @EventName("order.counted")
    record OrderCounted(String eventId, Instant occurredAt, String orderId) implements DomainEvent {
        OrderCounted(String orderId) {
            this(DomainEvent.newId(), Instant.now(), orderId);
        }
    }

    /** Not part of a slice unless it is named. */
    @Service
    static class OrderService {
        private final DomainEventPublisher events;

        OrderService(DomainEventPublisher events) {
            this.events = events;
        }

        @Transactional
        public void place(String order) {
            events.publish(new OrderPlaced(order));
        }
    }

    /** What a slice leaves alone: it would not start. */
    @Component
    static class NotInATest {
        NotInATest() {
            throw new IllegalStateException("this component needs more than a slice has");
        }
    }

    /** Its effect is recorded with the event. */
    @Component
    static class Counter {
        private final JdbcTemplate jdbc;
        private final DomainEventPublisher events;

        Counter(JdbcTemplate jdbc, DomainEventPublisher events) {
            this.jdbc = jdbc;
            this.events = events;
        }

        @EventHandler(name = "counter", transactional = true)
        void on(OrderPlaced event) {
            jdbc.update("UPDATE counter SET orders = orders + 1");
            events.publish(new OrderCounted(event.orderId()));
        }
    }

    /** Does it again each time it is called; unless it is told to look first. */
    @Component
    static class Mailer {
        static volatile boolean looksFirst;
        static volatile boolean fails;

        private final JdbcTemplate jdbc;

        Mailer(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {
            if (fails) {
                throw new IllegalStateException("the mail server is away");
            }
            Integer sent =
                    jdbc.queryForObject("SELECT COUNT(*) FROM mail WHERE order_id = ?", Integer.class, event.orderId());
            if (!looksFirst || sent == null || sent == 0) {
                jdbc.update("INSERT INTO mail VALUES (?)", event.orderId());
            }
        }

        @EventHandler(name = "statistics")
        void on(OrderCounted event) {}
    }
}
