package outbox.inbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.function.Predicate;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.HandlerMark;

/**
 * A method that handles received messages. The rules are those of {@link EventHandler}: it takes the payload as an object,
 * and optionally the {@link outbox.EventEnvelope}, headers and id.
 *
 * <pre>{@code
 * @InboxHandler(group = "billing", name = "invoice", transactional = true)
 * void on(OrderPlaced order, @EventId String idempotencyKey) { ... }
 * }</pre>
 *
 * <p>The starter finds these methods on beans. Without it: {@code EventHandlers.builder().scan(object, type,
 * InboxHandler.Mark.all())}.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface InboxHandler {
    /** The consumer group; may be left out if the application has one. */
    String group() default "";

    /** See {@link EventHandler#name()}. */
    String name() default "";

    /** See {@link EventHandler#formerNames()}. */
    String[] formerNames() default {};

    /** See {@link EventHandler#retry()}. */
    String retry() default "";

    /** See {@link EventHandler#maxAttempts()}. */
    int maxAttempts() default 0;

    /** See {@link EventHandler#deadOn()}. */
    Class<? extends Throwable>[] deadOn() default {};

    /** See {@link EventHandler#retryOn()}. */
    Class<? extends Throwable>[] retryOn() default {};

    /** See {@link EventHandler#concurrency()}. */
    int concurrency() default 0;

    /** See {@link EventHandler#rateLimit()}. */
    String rateLimit() default "";

    /** See {@link EventHandler#breakerFailures()}. */
    int breakerFailures() default EventHandler.DEFAULT_BREAKER;

    /** See {@link EventHandler#breakerPauseSeconds()}. */
    int breakerPauseSeconds() default EventHandler.DEFAULT_BREAKER;

    /** See {@link EventHandler#timeLimitSeconds()}. */
    long timeLimitSeconds() default EventHandler.DEFAULT_TIME_LIMIT;

    /** See {@link EventHandler#batch()}. */
    int batch() default 0;

    /** See {@link EventHandler#transactional()}. */
    boolean transactional() default false;

    /** Which methods to look for. */
    final class Mark {
        private Mark() {}

        /** All of them. */
        public static HandlerMark<InboxHandler> all() {
            return having(any -> true);
        }

        /** Those of one group, and those that name none. */
        public static HandlerMark<InboxHandler> ofGroup(String group) {
            return having(
                    handler -> handler.group().isEmpty() || handler.group().equals(group));
        }

        private static HandlerMark<InboxHandler> having(Predicate<InboxHandler> wanted) {
            return HandlerMark.of(InboxHandler.class, wanted);
        }
    }
}
