package outbox.control.node;

import outbox.spi.BreakerState;

/**
 * What a node delivers to, as it is now.
 *
 * @param kind {@code handler}, {@code listener} or {@code webhook}
 * @param detail what an operator wants to know: event types, a host
 * @param disabled it switched itself off, and its events are dead
 * @param running calls that run
 * @param waiting events in front of it
 */
public record HandlerStatus(
        String name,
        String kind,
        String detail,
        boolean paused,
        boolean disabled,
        BreakerState breaker,
        int running,
        int waiting) {}
