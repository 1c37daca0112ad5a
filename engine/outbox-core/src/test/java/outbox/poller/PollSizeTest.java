package outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.model.OutboxEvent;

class PollSizeTest {
    private static final int ANY = Integer.MAX_VALUE;
    private static final long MEGABYTE = 1 << 20;

    private static List<OutboxEvent> rows(int count, int size) {
        return Collections.nCopies(
                count, new OutboxEvent("id", "E", null, null, null, "x".repeat(size), null, 0, Instant.EPOCH));
    }

    @Test
    void smallRowsAreReadInBatchesOfTheSizeThatWasSet() {
        PollSize size = new PollSize(500, 16 * MEGABYTE, true);
        for (int i = 0; i < 3; i++) {
            PollSize.Limit limit = size.within(ANY, Long.MAX_VALUE);
            assertThat(limit.rows()).isEqualTo(500);
            assertThat(limit.isReachedBy(499, size.read(rows(499, 200)))).isFalse();
            assertThat(limit.isReachedBy(500, size.read(rows(500, 200)))).isTrue();
        }
    }

    @Test
    void noMoreIsReadThanThereIsRoomFor() {
        PollSize size = new PollSize(500, 16 * MEGABYTE, true);
        assertThat(size.within(3, MEGABYTE)).isEqualTo(new PollSize.Limit(3, MEGABYTE, 500, 16 * MEGABYTE));
        assertThat(size.within(3, 0).rows()).isZero();
        assertThat(size.within(0, MEGABYTE).rows()).isZero();
    }

    @Test
    void eachFailureForMemoryHalvesTheNextPollAndSuccessBringsItBack() {
        PollSize size = new PollSize(500, 16 * MEGABYTE, true);
        size.tooMuch();
        size.tooMuch();
        assertThat(size.within(ANY, Long.MAX_VALUE))
                .isEqualTo(new PollSize.Limit(125, 4 * MEGABYTE, 125, 4 * MEGABYTE));
        for (int i = 0; i < 16; i++) {
            size.read(rows(1, 200));
        }
        assertThat(size.within(ANY, Long.MAX_VALUE).rows()).isEqualTo(500);
    }

    @Test
    void itNeverAsksForLessThanOneRow() {
        PollSize size = new PollSize(500, 16 * MEGABYTE, true);
        for (int i = 0; i < 100; i++) {
            size.tooMuch();
        }
        assertThat(size.within(ANY, Long.MAX_VALUE).rows()).isEqualTo(1);
        assertThat(size.within(ANY, Long.MAX_VALUE).bytes()).isPositive();
    }

    @Test
    void aStoreThatMeasuresIsNotAskedToMeasureManyMoreRowsThanFit() {
        PollSize size = new PollSize(500, 16 * MEGABYTE, true);
        size.read(rows(16, (int) MEGABYTE));
        assertThat(size.within(ANY, Long.MAX_VALUE).rows()).isEqualTo(64);
        assertThat(size.within(ANY, Long.MAX_VALUE).isReachedBy(16, 16 * MEGABYTE))
                .isTrue();
        size.read(rows(64, 100));
        size.read(rows(256, 100));
        assertThat(size.within(ANY, Long.MAX_VALUE).rows()).isEqualTo(500);
    }

    @Test
    void ofAnotherStoreOnlyWhatFitsInTheWorstCaseIsReadUntilSmallerRowsWereSeen() {
        PollSize size = new PollSize(500, 16 * MEGABYTE, false);
        assertThat(size.within(ANY, Long.MAX_VALUE).rows()).isEqualTo(16);
        size.read(rows(16, 100));
        assertThat(size.within(ANY, Long.MAX_VALUE).rows()).isEqualTo(64);
        size.read(rows(64, 100));
        size.read(rows(256, 100));
        assertThat(size.within(ANY, Long.MAX_VALUE).rows()).isEqualTo(500);
        size.read(rows(500, 100_000));
        assertThat(size.within(ANY, Long.MAX_VALUE).rows()).isEqualTo(167);
    }

    @Test
    void driversHideAFailureForMemoryInExceptionsOfTheirOwn() {
        assertThat(PollSize.isForMemory(new OutOfMemoryError())).isTrue();
        assertThat(PollSize.isForMemory(new IllegalStateException(new SQLException(
                        "Ran out of memory retrieving query results.", "53200", new OutOfMemoryError()))))
                .isTrue();
        assertThat(PollSize.isForMemory(new SQLException("away"))).isFalse();
    }
}
