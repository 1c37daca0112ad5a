package outbox;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.model.Lease;

/** A user's hook in front of the engine's: it sees and may change events first; the lease is the engine's. */
final class HookChain implements WriterHook {
    private final WriterHook user;
    private final WriterHook engine;

    HookChain(WriterHook user, WriterHook engine) {
        this.user = user;
        this.engine = engine;
    }

    @Override
    public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        List<EventEnvelope> accepted = user.beforeWrite(events);
        return accepted == null || accepted.isEmpty() ? accepted : engine.beforeWrite(accepted);
    }

    @Override
    public @Nullable Lease lease() {
        return engine.lease();
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        both(() -> engine.afterWrite(events), () -> user.afterWrite(events));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        both(() -> engine.afterCommit(events), () -> user.afterCommit(events));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events, Lease lease) {
        both(() -> engine.afterCommit(events, lease), () -> user.afterCommit(events));
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        both(() -> engine.afterRollback(events), () -> user.afterRollback(events));
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
