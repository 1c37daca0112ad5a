package outbox.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import outbox.RecordedLogs;
import outbox.spi.ConnectionProvider;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.spi.UnitOfWork;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.ManualClock;

/** When a run ends, what it asks the purger for, and what it says. */
class OutboxPurgeSchedulerTest {
    private final ManualClock clock = new ManualClock();
    private final InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
    private final AtomicInteger connectionsTaken = new AtomicInteger();
    private final List<Instant> cutoffs = new ArrayList<>();
    private final List<Integer> limits = new ArrayList<>();

    private OutboxPurgeScheduler.Builder scheduler(EventPurger purger) {
        return OutboxPurgeScheduler.builder()
                .connectionProvider(() -> {
                    connectionsTaken.incrementAndGet();
                    return store.connectionProvider().getConnection();
                })
                .purger((conn, before, limit) -> {
                    cutoffs.add(before);
                    limits.add(limit);
                    return purger.purge(conn, before, limit);
                })
                .clock(clock);
    }

    private static EventPurger deleting(Integer... batches) {
        Iterator<Integer> next = Arrays.asList(batches).iterator();
        return (conn, before, limit) -> next.next();
    }

    @Test
    void aRunGoesOnUntilABatchIsNotFull() {
        try (RecordedLogs logs = new RecordedLogs()) {
            scheduler(deleting(500, 500, 7)).build().runOnce();
            assertThat(logs.of(OutboxPurgeScheduler.class, Level.INFO))
                    .singleElement()
                    .asString()
                    .contains("1007");
        }
        assertThat(limits).containsExactly(500, 500, 500);
        assertThat(connectionsTaken).hasValue(4); // one to ask for the time, one for each batch
    }

    @Test
    void theCutoffIsNowMinusTheRetention() {
        scheduler(deleting(0)).build().runOnce();
        scheduler(deleting(0)).retention(Duration.ofHours(1)).build().runOnce();
        assertThat(cutoffs)
                .containsExactly(
                        clock.instant().minus(Duration.ofDays(7)),
                        clock.instant().minus(Duration.ofHours(1)));
    }

    @Test
    void aRetentionThatNeverEndsIsLongerThanAnyTable() {
        scheduler(deleting(0))
                .retention(ChronoUnit.FOREVER.getDuration())
                .build()
                .runOnce();
        assertThat(cutoffs)
                .singleElement()
                .satisfies(cutoff -> assertThat(cutoff)
                        .isBetween(Instant.parse("0001-01-01T00:00:00Z"), Instant.parse("1000-01-01T00:00:00Z")));
    }

    @Test
    void aRunThatFailsIsLoggedAsSevereAndReachesNobody() {
        try (RecordedLogs logs = new RecordedLogs()) {
            scheduler((conn, before, limit) -> {
                        throw new IllegalStateException("table is locked");
                    })
                    .build()
                    .runOnce();
            assertThat(logs.of(OutboxPurgeScheduler.class, Level.SEVERE)).hasSize(1);
        }
    }

    @Test
    void aRunEndsWhenAnotherNodeIsElected() {
        Iterator<Boolean> elected = List.of(true, false).iterator();
        Election election = new Election() {
            @Override
            public <T> Optional<T> run(ConnectionProvider connections, String duty, UnitOfWork.Work<T> work)
                    throws SQLException {
                return elected.next() ? UNOPPOSED.run(connections, duty, work) : Optional.empty();
            }
        };
        try (RecordedLogs logs = new RecordedLogs()) {
            scheduler(deleting(500)).election(election).build().runOnce();
            assertThat(logs.of(OutboxPurgeScheduler.class, Level.INFO))
                    .singleElement()
                    .asString()
                    .contains("500", "another node");
        }
        assertThat(elected.hasNext()).isFalse();
    }

    @Test
    void nonsenseIsRefusedWithItsValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxPurgeScheduler.builder().batchSize(0))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxPurgeScheduler.builder().intervalSeconds(-1))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxPurgeScheduler.builder().retention(Duration.ofDays(-1)))
                .withMessageContaining("PT-24H");
    }
}
