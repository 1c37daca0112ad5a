package outbox.spring.boot;

import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.WriterHook;

/** Several hooks one after the other; what one of them suppresses the next does not see. Thread-safe. */
final class WriterHooks implements WriterHook {
    private final List<WriterHook> hooks;

    WriterHooks(List<WriterHook> hooks) {
        this.hooks = List.copyOf(hooks);
    }

    @Override
    public @Nullable List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        List<EventEnvelope> accepted = events;
        for (WriterHook hook : hooks) {
            accepted = hook.beforeWrite(accepted);
            if (accepted == null || accepted.isEmpty()) {
                return List.of();
            }
        }
        return accepted;
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        each(hook -> hook.afterWrite(events));
    }

    @Override
    public void afterCommit(List<EventEnvelope> events) {
        each(hook -> hook.afterCommit(events));
    }

    @Override
    public void afterRollback(List<EventEnvelope> events) {
        each(hook -> hook.afterRollback(events));
    }

    private interface Step {
        void of(WriterHook hook);
    }

    /** All of them are called; the first failure is what the writer logs. */
    private void each(Step step) {
        RuntimeException failure = null;
        for (WriterHook hook : hooks) {
            try {
                step.of(hook);
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
