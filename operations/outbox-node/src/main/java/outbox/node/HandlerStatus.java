package outbox.node;

import java.util.Set;
import java.util.TreeSet;
import outbox.spi.BreakerState;

/**
 * Current state of one handler, listener or webhook endpoint on a node.
 *
 * @param kind {@code handler}, {@code listener}, {@code webhook} or {@code inbox}
 * @param detail what an operator wants to know: event types, a host
 * @param disabled whether it disabled itself after too many failures; its events become dead letters
 * @param running calls in progress
 * @param waiting events queued for it
 * @param delivered events it handled successfully since the node started
 * @param failed failed calls since the node started
 * @param actions what operators can do with it: {@value #PAUSE}, and the actions of {@link Switchboard#perform}
 */
public record HandlerStatus(
        String name,
        String kind,
        String detail,
        boolean paused,
        boolean disabled,
        BreakerState breaker,
        int running,
        int waiting,
        long delivered,
        long failed,
        Set<String> actions) {

    /** It can be paused by {@link Switchboard#setPaused}. */
    public static final String PAUSE = "pause";

    public HandlerStatus {
        actions = Set.copyOf(actions);
    }

    /** The same handler as two switchboards see it: a listener, and the webhook endpoint behind it. */
    HandlerStatus with(HandlerStatus other) {
        HandlerStatus special = other.kind.equals("webhook") ? other : this;
        Set<String> all = new TreeSet<>(actions);
        all.addAll(other.actions);
        return new HandlerStatus(
                name,
                special.kind,
                special.detail,
                paused || other.paused,
                disabled || other.disabled,
                breaker == BreakerState.CLOSED ? other.breaker : breaker,
                Math.max(running, other.running),
                Math.max(waiting, other.waiting),
                Math.max(delivered, other.delivered),
                Math.max(failed, other.failed),
                all);
    }
}
