package outbox.testing;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a second delivery of an event has no further effect, because at-least-once delivery means that it will
 * happen. The test defines the effect, which is compared with {@code equals}.
 *
 * <pre>{@code
 * DoubleDelivery.of(stock::reserve)
 *         .effect(() -> jdbc.queryForList("SELECT item, reserved FROM stock"))
 *         .check(new OrderPlaced("42", 1999));
 * }</pre>
 *
 * @param <E> the event, or an {@code EventEnvelope} for a listener
 */
public final class DoubleDelivery<E> {
    private final Delivery<E> delivery;

    private DoubleDelivery(Delivery<E> delivery) {
        this.delivery = delivery;
    }

    /** A handler method, or an {@code EventListener}. */
    @FunctionalInterface
    public interface Delivery<E> {
        void to(E event) throws Exception;
    }

    /** The observable effect: rows, mails, calls. Return a copy, not a live collection. */
    @FunctionalInterface
    public interface Effect {
        @Nullable
        Object look() throws Exception;
    }

    public static <E> DoubleDelivery<E> of(Delivery<E> delivery) {
        return new DoubleDelivery<>(Objects.requireNonNull(delivery, "delivery"));
    }

    public Check<E> effect(Effect effect) {
        return new Check<>(delivery, Objects.requireNonNull(effect, "effect"));
    }

    /** A delivery and its effect. */
    public static final class Check<E> {
        private final Delivery<E> delivery;
        private final Effect effect;

        private Check(Delivery<E> delivery, Effect effect) {
            this.delivery = delivery;
            this.effect = effect;
        }

        /**
         * Delivers each event twice in a row.
         *
         * @throws AssertionError if the second delivery fails or changes the effect; also if the first one has no
         *     effect
         */
        @SafeVarargs
        public final void check(E... events) {
            if (events.length == 0) {
                throw new IllegalArgumentException("no event to deliver");
            }
            for (E event : events) {
                check(event);
            }
        }

        private void check(E event) {
            Object before = look();
            deliver("first", event);
            Object once = look();
            deliver("second", event);
            compare(event, before, once, look());
        }

        private @Nullable Object look() {
            try {
                return effect.look();
            } catch (Exception e) {
                throw new AssertionError("the effect could not be read", e);
            }
        }

        private void deliver(String which, E event) {
            try {
                delivery.to(event);
            } catch (Exception e) {
                throw new AssertionError("the " + which + " delivery of " + event + " failed: " + e, e);
            }
        }
    }

    /**
     * For other kinds of delivery: compares the effect before, after one and after two deliveries.
     *
     * @throws AssertionError as {@link Check#check}
     */
    public static void compare(Object event, @Nullable Object before, @Nullable Object once, @Nullable Object twice) {
        if (Objects.equals(before, once)) {
            throw new AssertionError("the first delivery of " + event
                    + " has no effect, so the second one proves nothing; before and after: " + once);
        }
        if (!Objects.equals(once, twice)) {
            throw new AssertionError(
                    "a second delivery changes the effect, so the handler is not idempotent\n  event:      " + event
                            + "\n  after one:  " + once + "\n  after two:  " + twice);
        }
    }
}
