package outbox.node;

import java.util.Set;
import java.util.TreeSet;
import outbox.spi.BreakerState;

/**
 * What a node delivers to, as it is now.
 *
 * @param kind {@code handler}, {@code listener} or {@code webhook}
 * @param detail what an operator wants to know: event types, a host
 * @param disabled it switched itself off, and its events are dead
 * @param running calls that run
 * @param waiting events in front of it
 * @param delivered events it was done with, since the node started
 * @param failed events it failed at
 * @param actions what can be done with it: {@value #PAUSE}, and what {@link Switchboard#perform} knows
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

    /** It obeys {@link Switchboard#setPaused}. */
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
