package outbox.idempotency.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerState;
import outbox.idempotency.EventConsumptionTrackerContract;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.server.EmbeddedRedis;
import outbox.util.Ulid;

class RedisConsumptionIT extends EventConsumptionTrackerContract {
    private static OutboxRedis redis;

    @BeforeAll
    static void connect() {
        redis = OutboxRedis.connect(EmbeddedRedis.shared(), Duration.ofSeconds(30));
    }

    @AfterAll
    static void disconnect() {
        redis.close();
    }

    @Override
    protected EventConsumptionTracker tracker() {
        return new RedisEventConsumptionTracker(redis.commands());
    }

    @Override
    protected void retryNow(String eventId) throws SQLException {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        try (Connection conn = store.connectionProvider().getConnection()) {
            tracker().retryNow(conn, eventId);
        }
    }

    private static HandlerOutcome done(String event) {
        return new HandlerOutcome(event, "mail", HandlerState.DONE, 1, Duration.ZERO, null);
    }

    @Test
    void progressIsForgottenAfterItsTimeToLive() {
        String event = Ulid.next();
        EventConsumptionTracker brief = new RedisEventConsumptionTracker(redis.commands(), Duration.ofMillis(50));
        brief.record(List.of(done(event)));

        await().atMost(Duration.ofMinutes(1))
                .until(() -> brief.progressOf(event).isEmpty());
    }

    @Test
    void progressIsKeptForSevenDaysByDefault() {
        String event = Ulid.next();
        tracker().record(List.of(done(event)));

        assertThat(Duration.ofMillis(redis.commands().pttl("outbox:consumption:" + event)))
                .isBetween(Duration.ofDays(6), Duration.ofDays(7));
    }

    @Test
    void aTrackerInRedisTakesPartInNoTransaction() {
        assertThat(tracker().isTransactional()).isFalse();
        assertThatThrownBy(() -> tracker().consume("e", "mail"))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("in the same database");
    }
}
