package outbox.dashboards;

import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.RetryRule;

/** Handlers that go wrong, beside those of the shop. */
@Configuration(proxyBeanMethods = false)
class Faults {
    /** Ends the calls that do not end by themselves. */
    final CountDownLatch over = new CountDownLatch(1);

    final Set<String> slow = ConcurrentHashMap.newKeySet();

    @EventName("fault.refused")
    record Refused(String eventId, Instant occurredAt) implements DomainEvent {
        Refused() {
            this(DomainEvent.newId(), Instant.now());
        }
    }

    @EventName("fault.broken")
    record Broken(String eventId, Instant occurredAt) implements DomainEvent {
        Broken() {
            this(DomainEvent.newId(), Instant.now());
        }
    }

    @EventName("fault.hung")
    record Hung(String eventId, Instant occurredAt) implements DomainEvent {
        Hung() {
            this(DomainEvent.newId(), Instant.now());
        }
    }

    @EventName("fault.slow")
    record Slow(String eventId, Instant occurredAt) implements DomainEvent {
        Slow() {
            this(DomainEvent.newId(), Instant.now());
        }
    }

    @EventName("fault.late")
    record Late(String eventId, Instant occurredAt) implements DomainEvent {
        Late() {
            this(DomainEvent.newId(), Instant.now());
        }
    }

    @Bean
    RetryRule forever() {
        return RetryRule.exponential(100, 100, 1_000_000);
    }

    /** Fails for as long as it runs. */
    @EventHandler(name = "test.refused", retry = "forever", breakerFailures = 0)
    void on(Refused event) {
        throw new IllegalStateException("refused");
    }

    /** Opens its circuit breaker. */
    @EventHandler(name = "test.broken", retry = "forever", breakerFailures = 3, breakerPauseSeconds = 600)
    void on(Broken event) {
        throw new IllegalStateException("broken");
    }

    /** Ignores that it is interrupted at its time limit. */
    @EventHandler(name = "test.hung", timeLimitSeconds = 1, maxAttempts = 1)
    void on(Hung event) {
        boolean ended = false;
        while (!ended) {
            try {
                over.await();
                ended = true;
            } catch (InterruptedException e) {
                // that is the fault
            }
        }
    }

    /** Ends when it is interrupted at its time limit. */
    @EventHandler(name = "test.late", timeLimitSeconds = 1, maxAttempts = 1)
    void on(Late event) throws InterruptedException {
        over.await();
    }

    /** Does not come to an end, two at a time, so that its events pile up. */
    @EventHandler(name = "test.slow", concurrency = 2)
    void on(Slow event) throws InterruptedException {
        slow.add(event.eventId());
        over.await();
    }
}
