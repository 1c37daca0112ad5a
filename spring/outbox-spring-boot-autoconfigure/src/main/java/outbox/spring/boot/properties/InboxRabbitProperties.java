package outbox.spring.boot.properties;

import java.util.ArrayList;
import java.util.List;

/** Queues that a consumer group reads. */
public class InboxRabbitProperties {
    /** Queues to read; they must exist. Without one, nothing is read from RabbitMQ. */
    private List<String> queues = new ArrayList<>();

    /** How many messages the broker sends ahead of their acknowledgement. */
    private int prefetch = 500;

    /** How many consumers this application runs, each with a connection and a thread of its own. */
    private int consumers = 1;

    /** No messages are taken while this many wait to be handled. */
    private int maxPending = 100_000;

    public List<String> getQueues() {
        return queues;
    }

    public void setQueues(List<String> queues) {
        this.queues = queues;
    }

    public int getPrefetch() {
        return prefetch;
    }

    public void setPrefetch(int prefetch) {
        this.prefetch = prefetch;
    }

    public int getConsumers() {
        return consumers;
    }

    public void setConsumers(int consumers) {
        this.consumers = consumers;
    }

    public int getMaxPending() {
        return maxPending;
    }

    public void setMaxPending(int maxPending) {
        this.maxPending = maxPending;
    }
}
