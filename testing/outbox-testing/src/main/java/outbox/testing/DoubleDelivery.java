package outbox.testing;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Checks that getting an event twice does no more than getting it once: at least once means that it will happen. The test says
 * what the effect is; it is compared by {@code equals}.
 *
 * <pre>{@code
 * DoubleDelivery.of(stock::reserve)
 *         .effect(() -> jdbc.queryForList("SELECT item, reserved FROM stock"))
 *         .check(new OrderPlaced("42", 1999));
 * }</pre>
 *
 * @param <E> what is delivered: an event, or an {@code EventEnvelope} where the subject is a listener
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

    /** What can be seen of the work: rows, mails, calls. Return a copy, not a collection that goes on changing. */
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
         * Delivers each of them twice, one after the other.
         *
         * @throws AssertionError if the second delivery fails, or its effect is another than that of the first; also if the
         *     first one has no effect, which would show nothing
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
                throw new AssertionError("the effect could not be looked at", e);
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
     * For those who deliver by other means: what was seen before, after one and after two deliveries.
     *
     * @throws AssertionError as {@link Check#check}
     */
    public static void compare(Object event, @Nullable Object before, @Nullable Object once, @Nullable Object twice) {
        if (Objects.equals(before, once)) {
            throw new AssertionError("the first delivery of " + event
                    + " has no effect, so the second one shows nothing; before and after it is " + once);
        }
        if (!Objects.equals(once, twice)) {
            throw new AssertionError(
                    "a second delivery changes something, so the handler is not idempotent\n  event:      " + event
                            + "\n  after one:  " + once + "\n  after two:  " + twice);
        }
    }
}
