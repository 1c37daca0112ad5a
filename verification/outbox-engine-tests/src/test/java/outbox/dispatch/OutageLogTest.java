package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import outbox.CountingMetrics;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.RecordedLogs;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;
import outbox.testing.ManualClock;

/** What a node logs while its database is away, turn by turn on a manual clock. */
class OutageLogTest {
    private static final Duration TURN = Duration.ofMillis(200);

    private final ManualClock clock = new ManualClock();
    private final InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
    private final InMemoryTxContext tx = store.txContext();
    private boolean away;
    private final OutboxDispatcher dispatcher = OutboxDispatcher.builder()
            .outboxStore(store)
            .connectionProvider(this::connection)
            .listenerRegistry((aggregateType, eventType) -> event -> {})
            .leaseTime(Duration.ofHours(1)) // longer than any outage here
            .clock(clock)
            .withoutThreads()
            .build();
    private final OutboxPoller poller = OutboxPoller.builder()
            .outboxStore(store)
            .connectionProvider(this::connection)
            .handler(new DispatcherPollerHandler(dispatcher))
            .metrics(new CountingMetrics())
            .clock(clock)
            .build();
    private final OutboxPurgeScheduler purge = OutboxPurgeScheduler.builder()
            .connectionProvider(this::connection)
            .purger(store.purger())
            .clock(clock)
            .build();

    private Connection connection() throws SQLException {
        if (away) {
            throw new SQLException("simulated: connection refused", "08001");
        }
        return store.connectionProvider().getConnection();
    }

    private List<LogRecord> logOfAnOutage(Duration time) {
        try (RecordedLogs logs = new RecordedLogs()) {
            for (int i = 0; i < 10; i++) {
                tx.inTransaction(() -> new OutboxWriter(tx, store, new DispatcherWriterHook(dispatcher))
                        .write(EventEnvelope.ofJson("E", "{}")));
            }
            dispatcher.steps().workOnce(); // whose outcome waits, with nine events whose leases are to be renewed
            clock.advance(Duration.ofMinutes(25));
            away = true;
            for (long turn = 0; turn < time.dividedBy(TURN); turn++) {
                poller.poll();
                dispatcher.steps().settleOnce();
                dispatcher.steps().renewOnce();
                if (turn % 5 == 0) {
                    purge.runOnce();
                }
                clock.advance(TURN);
            }
            away = false;
            dispatcher.steps().renewOnce();
            while (dispatcher.steps().workOnce()) {}
            dispatcher.steps().settleOnce();
            poller.poll();
            purge.runOnce();
            return logs.atLeast(Level.INFO);
        }
    }

    @Test
    void aMinuteIsOneTraceOfEachPartAndALineWhenItWorksAgain() {
        List<LogRecord> lines = logOfAnOutage(Duration.ofMinutes(1));

        assertThat(lines).filteredOn(line -> line.getThrown() != null).hasSize(4);
        assertThat(lines)
                .filteredOn(line -> line.getMessage().contains("works again after"))
                .hasSize(4);
        assertThat(lines).hasSizeLessThan(12);
        assertThat(store.count(EventStatus.DONE)).isEqualTo(10);
    }

    @Test
    void tenMinutesAreNotTenTimesAsMuch() {
        List<LogRecord> lines = logOfAnOutage(Duration.ofMinutes(10));

        assertThat(lines).filteredOn(line -> line.getThrown() != null).hasSize(4);
        assertThat(lines).hasSizeLessThan(20);
    }
}
