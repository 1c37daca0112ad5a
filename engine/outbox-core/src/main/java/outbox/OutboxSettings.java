package outbox;

import java.time.Duration;

/**
 * What an {@link Outbox} was built with, for those who look at it while it runs.
 *
 * @param form which of the three it is
 * @param writes whether it can write, which takes {@code transactions(...)}
 * @param ordered whether it keeps the order of each aggregate
 * @param leaseTime how long others leave a row alone whose node does not renew it
 * @param maxAttempts calls of a listener for one event before it is DEAD; a listener may have a limit of its own
 * @param recordsFailures whether somebody is told of every failed delivery
 */
public record OutboxSettings(
        Form form, boolean writes, boolean ordered, Duration leaseTime, int maxAttempts, boolean recordsFailures) {

    /** The three forms. */
    public enum Form {
        /** See {@link Outbox#singleNode()}. */
        SINGLE_NODE,
        /** See {@link Outbox#multiNode()}. */
        MULTI_NODE,
        /** See {@link Outbox#writerOnly()}. */
        WRITER_ONLY
    }
}
