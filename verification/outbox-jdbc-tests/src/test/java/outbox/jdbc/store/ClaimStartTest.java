package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.model.OutboxEvent;

class ClaimStartTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final int LIMIT = 10;

    private long nanos;
    private final ClaimStart start = ClaimStart.byDueTime(() -> nanos);
    private final List<@Nullable Long> startedFrom = new ArrayList<>();

    /** One claim that takes {@code took} and finds so many rows, the first of them due at the given second. */
    private int claim(int found, int firstSecond, long took) throws SQLException {
        return claim(new Index() {
                    @Override
                    public List<EventRows.Due> claim(@Nullable Long from, @Nullable Long before, int limit) {
                        startedFrom.add(from);
                        nanos += took;
                        return from == null && startedFrom.size() > 1 && found < LIMIT && limit < LIMIT
                                ? List.of()
                                : rows(Math.min(found, limit), firstSecond);
                    }
                })
                .size();
    }

    private List<EventRows.Due> claim(ClaimStart.Reader<EventRows.Due> reader) throws SQLException {
        return start.claim(LIMIT, new ClaimBytes(Long.MAX_VALUE), reader);
    }

    private static long micros(long second) {
        return TimeUnit.SECONDS.toMicros(NOON.getEpochSecond() + second);
    }

    /** An index of due times. */
    private abstract static class Index implements ClaimStart.Reader<EventRows.Due> {
        @Override
        public long position(EventRows.Due row) {
            return TimeUnit.SECONDS.toMicros(row.availableAt().getEpochSecond());
        }

        @Override
        public Long now() {
            return micros(0);
        }
    }

    /**
     * An index in which reading a second's worth of entries takes a millisecond, from noon until {@link #now}, as under a
     * snapshot that was taken at noon.
     */
    private class SlowIndex extends Index {
        private final List<Integer> due = new ArrayList<>();
        private final int now;
        private long slowest;

        SlowIndex(int now) {
            this.now = now;
        }

        @Override
        public List<EventRows.Due> claim(@Nullable Long from, @Nullable Long before, int limit) {
            double first = from == null ? 0 : Math.max(0, (from - micros(0)) / 1e6);
            double end = before == null ? now : Math.max(0, (before - micros(0)) / 1e6);
            List<EventRows.Due> found = due.stream()
                    .filter(second -> second >= first && second < end)
                    .limit(limit)
                    .map(ClaimStartTest::row)
                    .toList();
            found.forEach(
                    row -> due.remove((Integer) (int) (row.availableAt().getEpochSecond() - NOON.getEpochSecond())));
            long took = (long) (Math.max(0, end - first) * 1_000_000) + 100_000;
            nanos += took;
            slowest = Math.max(slowest, took);
            return found;
        }

        @Override
        public Long now() {
            return micros(now);
        }
    }

    private void beSlow(SlowIndex index) throws SQLException {
        for (int i = 0; i < ClaimStart.SLOW_IN_A_ROW; i++) {
            claim(index);
        }
    }

    private static List<EventRows.Due> rows(int count, int firstSecond) {
        return IntStream.range(0, count).mapToObj(i -> row(firstSecond + i)).toList();
    }

    private static EventRows.Due row(int second) {
        Instant due = NOON.plusSeconds(second);
        OutboxEvent event = new OutboxEvent("e" + second, "E", null, null, null, "{}", null, 0, due);
        return new EventRows.Due(event, due);
    }

    @Test
    void afterAFullClaimTheNextOnesStartWhereItFoundItsFirstRow() throws SQLException {
        claim(LIMIT, 0, 100);
        claim(LIMIT, 10, 1);
        claim(LIMIT, 20, 1);
        assertThat(startedFrom).containsExactly(null, micros(0), micros(10));
    }

    @Test
    void aClaimThatIsNotFilledLooksFromTheStartAtOnce() throws SQLException {
        claim(LIMIT, 0, 100);
        assertThat(claim(3, 10, 1)).isEqualTo(3);
        claim(LIMIT, 20, 1);
        assertThat(startedFrom).containsExactly(null, micros(0), null, null);
    }

    @Test
    void readingFromTheStartTakesAtMostAFifthOfTheTime() throws SQLException {
        claim(LIMIT, 0, 100);
        while (nanos < 500) {
            claim(LIMIT, 10, 50);
        }
        claim(LIMIT, 20, 50);
        assertThat(startedFrom).hasSize(10);
        assertThat(startedFrom.subList(1, 9)).doesNotContainNull();
        assertThat(startedFrom.get(9)).isNull();
    }

    /** One hour of dead entries: reading them takes 3.6 s, and a claim of a new row a few milliseconds. */
    @Test
    void whereReadingFromTheStartIsSlowOnlyTheFirstClaimsDoIt() throws SQLException {
        SlowIndex index = new SlowIndex(3600);
        beSlow(index);
        assertThat(index.slowest).isGreaterThan(TimeUnit.SECONDS.toNanos(3));

        index.slowest = 0;
        int claims = 1_000;
        for (int i = 0; i < claims; i++) {
            index.due.add(3599);
            assertThat(claim(index)).as("a row that is due now").isNotEmpty();
            nanos += TimeUnit.MILLISECONDS.toNanos(20);
        }
        assertThat(index.slowest).isLessThan(TimeUnit.MILLISECONDS.toNanos(25));
    }

    @Test
    void rowsBeforeThePlaceAreFoundBySlicesWithinAFifthOfTheTime() throws SQLException {
        SlowIndex index = new SlowIndex(3600);
        beSlow(index);
        index.due.add(17); // an expired lease
        long before = nanos;
        boolean found = false;
        while (!found && nanos - before < TimeUnit.MINUTES.toNanos(10)) {
            found = !claim(index).isEmpty();
            nanos += TimeUnit.MILLISECONDS.toNanos(5);
        }
        assertThat(found).isTrue();
        assertThat(nanos - before).isLessThan(TimeUnit.SECONDS.toNanos(60));
    }

    @Test
    void onceItIsQuickAgainClaimsReadFromTheStart() throws SQLException {
        beSlow(new SlowIndex(3600));
        SlowIndex vacuumed = new SlowIndex(3600) {
            @Override
            public List<EventRows.Due> claim(@Nullable Long from, @Nullable Long before, int limit) {
                long now = nanos;
                List<EventRows.Due> found = super.claim(from, before, limit);
                nanos = now + 100_000;
                return found;
            }
        };
        nanos += TimeUnit.MINUTES.toNanos(1);
        claim(vacuumed);
        vacuumed.due.add(17);
        assertThat(claim(vacuumed)).hasSize(1);
    }

    @Test
    void oneSlowClaimIsNoReasonToStartElsewhere() throws SQLException {
        claim(new SlowIndex(3600));
        SlowIndex quick = new SlowIndex(1);
        claim(quick);
        quick.due.add(0);
        assertThat(claim(quick)).hasSize(1);
    }

    /** Where every statement takes long, reading from the start is not what is slow. */
    @Test
    void aDatabaseThatIsFarAwayIsNotSlow() throws SQLException {
        SlowIndex far = new SlowIndex(100) {
            @Override
            public List<EventRows.Due> claim(@Nullable Long from, @Nullable Long before, int limit) {
                nanos += TimeUnit.MILLISECONDS.toNanos(80);
                return super.claim(from, before, limit);
            }
        };
        beSlow(far);
        far.due.add(17);
        assertThat(claim(far)).hasSize(1);
    }

    @Test
    void slicesDoNotShrinkBecauseTheDatabaseIsFarAway() throws SQLException {
        long trip = TimeUnit.MILLISECONDS.toNanos(50);
        SlowIndex far = new SlowIndex(3600) {
            @Override
            public List<EventRows.Due> claim(@Nullable Long from, @Nullable Long before, int limit) {
                nanos += trip;
                return super.claim(from, before, limit);
            }
        };
        beSlow(far);
        far.due.add(17);
        int claims = 0;
        while (claims < 5_000 && claim(far).isEmpty()) {
            nanos += TimeUnit.MILLISECONDS.toNanos(500);
            claims++;
        }
        assertThat(claims).isLessThan(1_500);
    }
}
