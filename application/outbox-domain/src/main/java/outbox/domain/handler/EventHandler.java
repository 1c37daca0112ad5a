package outbox.domain.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that reacts to an event. It returns nothing and takes the event; if it likes also the
 * {@link outbox.EventEnvelope} and the headers as {@code Map<String, String>}. The event may be an interface that
 * several events implement. With {@code List<Event>} it takes several at once, with {@code List<EventEnvelope>} beside
 * them.
 *
 * <pre>{@code
 * @EventHandler(name = "mail", retry = "outbound", deadOn = NoSuchCustomer.class, concurrency = 2)
 * void on(OrderPlaced event, EventEnvelope envelope) { ... }
 * }</pre>
 *
 * <p>An event may have any number of handlers. One that succeeded is not called again because another one failed.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface EventHandler {
    /**
     * The name under which progress is stored: unique, at most 128 characters. By default class, method and event, such
     * as {@code OrderMailer.on(OrderPlaced)}; whoever renames one of these names the old one in {@link #formerNames()}.
     */
    String name() default "";

    /** Names this handler had before: what was consumed under them is consumed. */
    String[] formerNames() default {};

    /**
     * A {@link RetryRule} by name: {@code quick}, {@code relay}, {@code outbound} as in
     * {@link outbox.listener.RetryPreset}, {@code recovery}, or one given to the builder. By default the builder's.
     */
    String retry() default "";

    /** How often this handler is called for one event at most; by default what the retry rule says. */
    int maxAttempts() default 0;

    /** Exceptions that mean: trying again is useless. The most specific class of this and {@link #retryOn()} decides. */
    Class<? extends Throwable>[] deadOn() default {};

    /** Exceptions to retry although a superclass is in {@link #deadOn()}, here or in the builder's rules. */
    Class<? extends Throwable>[] retryOn() default {};

    /** How many calls of this handler run at a time; by default {@link HandlerOptions#DEFAULT_CONCURRENCY}. */
    int concurrency() default 0;

    /**
     * After this many failures in a row the handler is left alone for {@link #breakerPauseSeconds()}: its events wait in the
     * table, no attempt is counted, then one goes through to see. By default never.
     */
    int breakerFailures() default 0;

    /** See {@link #breakerFailures()}. */
    int breakerPauseSeconds() default 30;

    /** See {@link #timeLimitSeconds()}. */
    long DEFAULT_TIME_LIMIT = Long.MIN_VALUE;

    /**
     * How long one call may take, a batch being one; 0 for no limit. After that the handler is interrupted and the attempt
     * counts as failed with a {@link outbox.DeliveryTimeoutException}. By default what
     * {@link EventHandlersBuilder#defaultTimeLimit} says: 10 minutes.
     */
    long timeLimitSeconds() default DEFAULT_TIME_LIMIT;

    /** How many events one call takes at most; by default {@link HandlerOptions#DEFAULT_BATCH} if it takes a list. */
    int batch() default 0;

    /**
     * Runs in a transaction that also records the consumption: what the handler does to that database happens exactly
     * once. A batch that fails is rolled back and its events are tried one by one.
     */
    boolean transactional() default false;
}
