package outbox.spring.boot.module;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.context.SmartLifecycle;

/** Consumers of brokers, which start after the inboxes and stop before them. A stopped context can be started again. */
final class InboxConsumers implements SmartLifecycle {
    /** Above that of the outboxes, below web servers. */
    private static final int PHASE = DEFAULT_PHASE - 4096 + 8;

    private final List<Supplier<? extends AutoCloseable>> makers;
    private final boolean autoStartup;
    private final List<AutoCloseable> running = new ArrayList<>(); // guarded by this

    /** @param makers start consumers */
    InboxConsumers(List<Supplier<? extends AutoCloseable>> makers, boolean autoStartup) {
        this.makers = List.copyOf(makers);
        this.autoStartup = autoStartup;
    }

    @Override
    public synchronized void start() {
        if (running.isEmpty()) {
            makers.forEach(maker -> running.add(maker.get()));
        }
    }

    @Override
    public synchronized void stop() {
        for (AutoCloseable consumer : running) {
            try {
                consumer.close();
            } catch (Exception e) {
                throw new IllegalStateException("a consumer of an inbox could not be closed", e);
            }
        }
        running.clear();
    }

    @Override
    public synchronized boolean isRunning() {
        return !running.isEmpty();
    }

    @Override
    public boolean isAutoStartup() {
        return autoStartup;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
