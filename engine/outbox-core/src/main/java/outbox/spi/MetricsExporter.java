package outbox.spi;

import java.time.Duration;

/**
 * Where the engine reports to. Implementations must be thread-safe, fast, and must not throw. The default methods were
 * added to what the specification names; an exporter that does not know them loses nothing but these figures.
 */
public interface MetricsExporter {
    MetricsExporter NOOP = new Noop();

    void incrementHotEnqueued();

    void incrementHotDropped();

    void incrementColdEnqueued();

    void incrementDispatchSuccess();

    void incrementDispatchFailure();

    void incrementDispatchDead();

    void recordQueueDepths(int hotDepth, int coldDepth);

    void recordOldestLagMs(long lagMs);

    /** One claim or poll came back with this many rows. */
    default void recordClaimSize(int rows) {}

    /** This many outcomes were written in one transaction. */
    default void recordSettlementSize(int outcomes) {}

    /** From the commit (hot) or the claim (cold) to the moment the listener is called. */
    default void recordDeliveryLatency(Duration latency) {}

    /** How long a listener ran, whatever came of it. */
    default void recordListenerDuration(String aggregateType, String eventType, Duration duration) {}

    /** A call of this listener reached its time limit. */
    default void incrementTimeouts(String listener) {}

    /**
     * How many calls of this listener have reached their time limit and still run, as a difference: 1 for each that reached
     * it, -1 for each that ended afterwards.
     */
    default void adjustHungCalls(String listener, int change) {}

    default void incrementLeasesRenewed(int count) {}

    /** Rows that somebody else had taken by the time their outcome was to be written or their lease renewed. */
    default void incrementLeasesLost(int count) {}

    /** How long the oldest undelivered row has been due. */
    default void recordOldestPendingAge(Duration age) {}

    /** How many rows wait to be delivered, due or not; counted up to 10 000. */
    default void recordPending(int rows) {}

    /** How many rows are dead at this moment, parked ones included; counted up to 10 000. */
    default void recordDead(int rows) {}

    /** A listener's circuit breaker changed. */
    default void recordBreakerState(String listener, BreakerState state) {}

    /** How long ago the oldest event was committed that a reader of the database's log has in flight; zero if none. */
    default void recordCdcLag(Duration lag) {}

    /** How much of its log the database keeps for a reader of it. */
    default void recordCdcRetainedBytes(long bytes) {}

    /** Reports nothing. */
    final class Noop implements MetricsExporter {
        private Noop() {}

        @Override
        public void incrementHotEnqueued() {}

        @Override
        public void incrementHotDropped() {}

        @Override
        public void incrementColdEnqueued() {}

        @Override
        public void incrementDispatchSuccess() {}

        @Override
        public void incrementDispatchFailure() {}

        @Override
        public void incrementDispatchDead() {}

        @Override
        public void recordQueueDepths(int hotDepth, int coldDepth) {}

        @Override
        public void recordOldestLagMs(long lagMs) {}
    }
}
