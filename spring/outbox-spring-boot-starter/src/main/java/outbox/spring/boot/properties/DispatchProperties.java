package outbox.spring.boot.properties;

import java.time.Duration;
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

    /** How long others leave a row alone whose node does not renew it; the same on all nodes. */
    private Duration leaseTime = OutboxDispatcher.DEFAULT_LEASE_TIME;

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

    public Duration getLeaseTime() {
        return leaseTime;
    }

    public void setLeaseTime(Duration leaseTime) {
        this.leaseTime = leaseTime;
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
