package outbox;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.Lease;

/**
 * Two hooks as one. The first sees and may change events before the second, which is the engine's or stands in front of
 * it; the lease is the second's.
 */
final class HookChain implements LeasedWriterHook {
    private final WriterHook first;
    private final WriterHook second;

    HookChain(WriterHook first, WriterHook second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        List<EventEnvelope> accepted = first.beforeWrite(events);
        return accepted == null || accepted.isEmpty() ? accepted : second.beforeWrite(accepted);
    }

    @Override
    public @Nullable Lease lease() {
        return second instanceof LeasedWriterHook leased ? leased.lease() : null;
    }

    @Override
    public boolean isInTime(Lease lease) {
        return !(second instanceof LeasedWriterHook leased) || leased.isInTime(lease);
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        both(() -> second.afterWrite(events), () -> first.afterWrite(events));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        both(() -> second.afterCommit(events), () -> first.afterCommit(events));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events, Lease lease) {
        both(
                () -> {
                    if (second instanceof LeasedWriterHook leased) {
                        leased.afterCommit(events, lease);
                    }
                },
                () -> first.afterCommit(events));
    }

    @Override
    public void afterRelease(List<EventEnvelope> events) {
        both(
                () -> {
                    if (second instanceof LeasedWriterHook leased) {
                        leased.afterRelease(events);
                    }
                },
                () -> first.afterCommit(events));
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        both(() -> second.afterRollback(events), () -> first.afterRollback(events));
    }

    /** The second runs whatever the first does. */
    private static void both(Runnable first, Runnable second) {
        try {
            first.run();
        } finally {
            second.run();
        }
    }
}
