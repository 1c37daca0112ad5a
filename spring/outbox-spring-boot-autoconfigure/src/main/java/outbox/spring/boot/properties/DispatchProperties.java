package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.OutboxDispatcher;

/** Workers and leases. */
public class DispatchProperties {
    /** How many listeners run at a time; 0 delivers nothing. */
    private int workers = OutboxDispatcher.DEFAULT_WORKER_COUNT;

    /** Events that wait after their commit. */
    private int hotQueueCapacity = OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY;

    /** Events that wait after their claim. */
    private int coldQueueCapacity = OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY;

    /**
     * Payloads and headers that may be in flight, queued or running, half of it for events after their commit and half for
     * claimed ones. Default: an eighth of the largest heap.
     */
    private @Nullable DataSize maxBytesInFlight;

    /** How long others leave a row alone whose node does not renew it; the same on all nodes. */
    private Duration leaseTime = OutboxDispatcher.DEFAULT_LEASE_TIME;

    /**
     * How long one call of a listener or handler may take before it is interrupted and its attempt counts as failed; 0 for
     * no limit.
     */
    private Duration timeLimit = OutboxDispatcher.DEFAULT_TIME_LIMIT;

    /** How long a shutdown waits for what is queued. */
    private Duration drainTimeout = Duration.ofMillis(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS);

    /** Whether delivered rows stay as DONE until they are purged, or are deleted. */
    private CompletionMode completion = CompletionMode.MARK;

    public int getWorkers() {
        return workers;
    }

    public void setWorkers(int workers) {
        this.workers = workers;
    }

    public int getHotQueueCapacity() {
        return hotQueueCapacity;
    }

    public void setHotQueueCapacity(int hotQueueCapacity) {
        this.hotQueueCapacity = hotQueueCapacity;
    }

    public int getColdQueueCapacity() {
        return coldQueueCapacity;
    }

    public void setColdQueueCapacity(int coldQueueCapacity) {
        this.coldQueueCapacity = coldQueueCapacity;
    }

    public @Nullable DataSize getMaxBytesInFlight() {
        return maxBytesInFlight;
    }

    public void setMaxBytesInFlight(@Nullable DataSize maxBytesInFlight) {
        this.maxBytesInFlight = maxBytesInFlight;
    }

    public Duration getLeaseTime() {
        return leaseTime;
    }

    public void setLeaseTime(Duration leaseTime) {
        this.leaseTime = leaseTime;
    }

    public Duration getTimeLimit() {
        return timeLimit;
    }

    public void setTimeLimit(Duration timeLimit) {
        this.timeLimit = timeLimit;
    }

    public Duration getDrainTimeout() {
        return drainTimeout;
    }

    public void setDrainTimeout(Duration drainTimeout) {
        this.drainTimeout = drainTimeout;
    }

    public CompletionMode getCompletion() {
        return completion;
    }

    public void setCompletion(CompletionMode completion) {
        this.completion = completion;
    }
}
