package outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.model.OutboxEvent;

class ClaimStartTest {
    private static final Instant NOON = Instant.parse("2026-01-01T12:00:00Z");
    private static final int LIMIT = 10;

    private long nanos;
    private final ClaimStart start = new ClaimStart(() -> nanos);
    private final List<@Nullable Instant> startedFrom = new ArrayList<>();

    /** One claim that takes {@code took} and finds so many rows, the first of them due at the given second. */
    private int claim(int found, int firstSecond, long took) throws SQLException {
        return start.claim(LIMIT, new ClaimBytes(Long.MAX_VALUE), (from, limit) -> {
                    startedFrom.add(from);
                    nanos += took;
                    return from == null && startedFrom.size() > 1 && found < LIMIT && limit < LIMIT
                            ? List.of()
                            : rows(Math.min(found, limit), firstSecond);
                })
                .size();
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
        assertThat(startedFrom).containsExactly(null, NOON, NOON.plusSeconds(10));
    }

    @Test
    void aClaimThatIsNotFilledLooksFromTheStartAtOnce() throws SQLException {
        claim(LIMIT, 0, 100);
        assertThat(claim(3, 10, 1)).isEqualTo(3);
        claim(LIMIT, 20, 1);
        assertThat(startedFrom).containsExactly(null, NOON, null, null);
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
}
