package outbox.jdbc.store;

import java.util.List;
import java.util.function.Function;
import outbox.model.OutboxEvent;

/** Counts the bytes of a claim, up to a limit; not thread-safe. */
final class ClaimBytes {
    private final long most;
    private long taken;

    ClaimBytes(long most) {
        this.most = most;
    }

    long taken() {
        return taken;
    }

    boolean isSpent() {
        return taken >= most;
    }

    void count(OutboxEvent row) {
        taken += LargeValues.size(row);
    }

    /** The rows that fit, from the first on; the one that reaches the limit is the last. */
    <T> List<T> fitting(List<T> rows, Function<T, OutboxEvent> event) {
        int count = 0;
        while (count < rows.size() && !isSpent()) {
            count(event.apply(rows.get(count)));
            count++;
        }
        return rows.subList(0, count);
    }
}
