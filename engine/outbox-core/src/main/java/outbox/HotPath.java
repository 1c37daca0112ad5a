package outbox;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import outbox.model.Lease;

/** The way right after commit, to the engine that runs then: a transaction may be older than it. Thread-safe. */
final class HotPath implements LeasedWriterHook {
    private final Supplier<Engine> engine;

    HotPath(Supplier<Engine> engine) {
        this.engine = engine;
    }

    private LeasedWriterHook now() {
        return engine.get().requireDelivery().hot();
    }

    @Override
    public @Nullable Lease lease() {
        return now().lease();
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        now().afterCommit(events);
    }

    @Override
    public void afterCommit(List<EventEnvelope> events, Lease lease) {
        now().afterCommit(events, lease);
    }
}
