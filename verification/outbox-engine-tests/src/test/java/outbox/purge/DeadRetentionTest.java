package outbox.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.model.EventStatus;

/** How long dead letters stay. */
@Timeout(60)
class DeadRetentionTest extends EngineFixture {
    private static EventEnvelope old(String type) {
        return EventEnvelope.builder(type)
                .occurredAt(Instant.now().minus(Duration.ofDays(60)))
                .aggregateType("Order")
                .aggregateId("1")
                .payloadJson("{}")
                .build();
    }

    private void failing(String type) {
        registry.register("Order", type, event -> {
            throw new IllegalStateException("poison");
        });
    }

    @Test
    void anOldEventThatHasJustDiedIsNotPurged() {
        failing("Bad");
        Outbox outbox = outbox(b -> b.maxAttempts(1).purger(store.purger()));
        String id = write(outbox, old("Bad"));
        awaitStatus(id, EventStatus.DEAD);

        outbox.purgeOnce();
        assertThat(store.row(id)).isNotNull();
        assertThat(outbox.deadEvents().count(null)).isOne();
    }

    @Test
    void deadLettersStayLongerThanDeliveredRows() {
        failing("Bad");
        registry.register("Order", "Good", noting());
        Outbox outbox = outbox(b -> b.maxAttempts(1).purger(store.purger()).retention(Duration.ZERO));
        String dead = write(outbox, old("Bad"));
        String done = write(outbox, old("Good"));
        awaitStatus(dead, EventStatus.DEAD);
        awaitStatus(done, EventStatus.DONE);

        outbox.purgeOnce();
        assertThat(store.row(done)).isNull();
        assertThat(store.row(dead)).isNotNull();
    }

    @Test
    void theRetentionOfDeadLettersCanBeSet() {
        failing("Bad");
        Outbox outbox = outbox(b -> b.maxAttempts(1).purger(store.purger()).deadRetention(Duration.ZERO));
        String dead = write(outbox, old("Bad"));
        awaitStatus(dead, EventStatus.DEAD);

        outbox.purgeOnce();
        assertThat(store.row(dead)).isNull();
    }

    @Test
    void aDeadHeadOfAnAggregateStaysAndSoDoesTheOrder() {
        failing("Bad");
        registry.register("Order", "Good", noting());
        Outbox outbox =
                outbox(b -> b.ordered().maxAttempts(1).purger(store.purger()).deadRetention(Duration.ZERO));
        String head = write(outbox, old("Bad"));
        String next = write(outbox, old("Good"));
        awaitStatus(head, EventStatus.DEAD);

        outbox.purgeOnce();
        assertThat(store.row(head)).isNotNull();
        assertThat(store.row(next).status()).isEqualTo(EventStatus.NEW);

        assertThat(outbox.deadEvents().park(head)).isTrue();
        awaitStatus(next, EventStatus.DONE);
        outbox.purgeOnce();
        assertThat(store.row(head)).isNull();
    }

    @Test
    void aPurgerThatCannotTellDeadLettersApartIsRefusedWhereItWouldMatter() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> outbox(b -> b.ordered().purger((conn, before, limit) -> 0)))
                .withMessageContaining("RetentionPurger");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> outbox(b -> b.deadRetention(Duration.ofDays(1)).purger((conn, before, limit) -> 0)))
                .withMessageContaining("RetentionPurger");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxPurgeScheduler.builder()
                        .connectionProvider(store.connectionProvider())
                        .purger((conn, before, limit) -> 0)
                        .ordered(true)
                        .build())
                .withMessageContaining("RetentionPurger");
    }
}
