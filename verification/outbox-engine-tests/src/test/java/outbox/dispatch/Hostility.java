package outbox.dispatch;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import outbox.EventEnvelope;
import outbox.spi.Settlement;

/** What a hostile event of the simulation does; its event type says which. */
enum Hostility {
    /** Throws, with a text that is hard to store. */
    THROWS,
    THROWS_ERROR,
    /** Throws, and nothing can be read of what it throws. */
    THROWS_UNREADABLE,
    /** Its node crashes while its listener runs. */
    KILLS,
    /** Comes to its end long after its time limit, by the interrupt or deaf to it. */
    HANGS,
    /** Interrupts its thread and returns. */
    INTERRUPTS,
    /** The table takes no error text of it. */
    REFUSED_TEXT,
    /** The table does not take its success. */
    REFUSED_DONE,
    /** The table takes no outcome of it, until the faults are over. */
    REFUSED_ALWAYS,
    /** Of an asynchronous listener: its stage never completes. Others hang. */
    NEVER_COMPLETES,
    /** Of an asynchronous listener: its stage tells a failure first and a success then. Others throw. */
    COMPLETES_TWICE;

    /** Those that also happen without the others. */
    static final List<Hostility> OF_FAULTS = List.of(KILLS, HANGS, REFUSED_TEXT, REFUSED_DONE);

    private static final List<String> TEXTS = List.of(
            "",
            "\u0000",
            "\uD83D",
            "\uD83D\uDE80",
            "\u05E9\u05DC\u05D5\u05DD",
            "x".repeat(100_000),
            "\u0301",
            "\u8BA2\u5355");

    static Optional<Hostility> of(EventEnvelope event) {
        return Arrays.stream(values())
                .filter(hostility -> hostility.name().equals(event.eventType()))
                .findFirst();
    }

    /** Whether it may never be delivered; then it is dead after its attempts. */
    boolean mustDie() {
        return this != INTERRUPTS;
    }

    /** What its listener throws, if it throws. */
    Throwable failure(Random random) {
        String text = TEXTS.get(random.nextInt(TEXTS.size()));
        return switch (this) {
            case THROWS_ERROR -> random.nextBoolean() ? new NoClassDefFoundError(text) : new OutOfMemoryError(text);
            case THROWS_UNREADABLE -> new Unreadable();
            default -> new IllegalStateException(text);
        };
    }

    /** Whether the table refuses this outcome. */
    boolean refuses(Settlement settlement) {
        return switch (this) {
            case REFUSED_TEXT ->
                settlement.match(
                        done -> false,
                        delete -> false,
                        retry -> !retry.error().isEmpty(),
                        dead -> !dead.error().isEmpty(),
                        release -> false);
            case REFUSED_DONE ->
                settlement.match(done -> true, delete -> true, retry -> false, dead -> false, release -> false);
            case REFUSED_ALWAYS -> true;
            default -> false;
        };
    }

    /** As a trigger refuses, which has a state of its own. */
    static RuntimeException refusal() {
        return new IllegalStateException("simulated: refused by a trigger", new SQLException("refused", "P0001"));
    }

    private static final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }
    }
}
