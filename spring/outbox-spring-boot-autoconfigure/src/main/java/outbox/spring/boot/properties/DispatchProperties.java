package outbox.spring.boot.properties;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;
import outbox.dispatch.CompletionMode;
import outbox.dispatch.OutboxDispatcher;

/** Workers and leases. */
public class DispatchProperties {
    /** Number of listeners that run at the same time. 0 delivers nothing. */
    private int workers = OutboxDispatcher.DEFAULT_WORKER_COUNT;

    /** Capacity of the queue for events that were just committed. Further events are delivered by the poller. */
    private int hotQueueCapacity = OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY;

    /** Capacity of the queue for events that the poller claimed. */
    private int coldQueueCapacity = OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY;

    /**
     * Maximum size of all payloads and headers in flight, queued or running: half of it for events that were just committed
     * and half for claimed ones. Default: an eighth of the maximum heap.
     */
    private @Nullable DataSize maxBytesInFlight;

    /**
     * Duration of a lease. When a node stops renewing it, others claim the event after this time. Use the same value
     * on all nodes.
     */
    private Duration leaseTime = OutboxDispatcher.DEFAULT_LEASE_TIME;

    /**
     * Time limit for one call of a listener or handler. After it the call is interrupted and the attempt counts as failed.
     * 0 means no limit.
     */
    private Duration timeLimit = OutboxDispatcher.DEFAULT_TIME_LIMIT;

    /** How long a shutdown waits for queued events to be delivered. */
    private Duration drainTimeout = Duration.ofMillis(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS);

    /** What happens to the row of a delivered event: mark sets it to DONE until the purge, delete removes it. */
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
