package outbox.domain.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method that handles an event. It returns void and takes the event, and optionally the {@link outbox.EventEnvelope}
 * and the headers as {@code Map<String, String>}, or single values by {@link EventId}, {@link EventHeader} and {@link
 * Attempt}. The event type may be an interface of several events. With {@code
 * List<Event>}, and optionally {@code List<EventEnvelope>}, it receives batches.
 *
 * <pre>{@code
 * @EventHandler(name = "mail", retry = "outbound", deadOn = NoSuchCustomer.class, concurrency = 2)
 * void on(OrderPlaced event, EventEnvelope envelope) { ... }
 * }</pre>
 *
 * <p>An event may have any number of handlers. A handler that succeeded is not called again when another one failed.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface EventHandler {
    /**
     * The name under which progress is stored: unique, at most 128 characters. By default class, method and event, such
     * as {@code OrderMailer.on(OrderPlaced)}; if you rename one of these, add the old name to {@link #formerNames()}.
     */
    String name() default "";

    /** Previous names of this handler; progress stored under them is used. */
    String[] formerNames() default {};

    /**
     * A {@link RetryRule} by name: {@code quick}, {@code relay}, {@code outbound} or {@code recovery} as in
     * {@link outbox.listener.RetryPreset}, or one given to the builder. By default the builder's.
     */
    String retry() default "";

    /** Maximum number of calls for one event; by default that of the retry rule. */
    int maxAttempts() default 0;

    /** Exceptions that are not retried. The most specific class in this and {@link #retryOn()} decides. */
    Class<? extends Throwable>[] deadOn() default {};

    /** Exceptions to retry although a superclass is in {@link #deadOn()}, here or in the builder's rules. */
    Class<? extends Throwable>[] retryOn() default {};

    /** Concurrency limit; by default {@link HandlerOptions#DEFAULT_CONCURRENCY}. */
    int concurrency() default 0;

    /**
     * How many events it gets in a time, on each node: {@code 100/s}, {@code 30/m} or {@code 1000/h}. Events beyond that
     * wait in the table and no attempt is counted; the other handlers of an event do not wait. By default any number.
     */
    String rateLimit() default "";

    /** See {@link #breakerFailures()}. */
    int DEFAULT_BREAKER = -1;

    /**
     * After this many consecutive failures the circuit breaker opens for {@link #breakerPauseSeconds()}: events wait in
     * the table and no attempts are counted. Then one event is tried. 0 for no circuit breaker. Default: {@link
     * EventHandlersBuilder#defaultCircuitBreaker}, 50.
     */
    int breakerFailures() default DEFAULT_BREAKER;

    /** See {@link #breakerFailures()}. Default: {@link EventHandlersBuilder#defaultCircuitBreaker}, 10. */
    int breakerPauseSeconds() default DEFAULT_BREAKER;

    /** See {@link #timeLimitSeconds()}. */
    long DEFAULT_TIME_LIMIT = Long.MIN_VALUE;

    /**
     * Time limit of one call, which may be a batch; 0 for no limit. After it the handler is interrupted and the attempt
     * counts as failed with a {@link outbox.DeliveryTimeoutException}. Default: {@link
     * EventHandlersBuilder#defaultTimeLimit}, 10 minutes.
     */
    long timeLimitSeconds() default DEFAULT_TIME_LIMIT;

    /** Maximum number of events per call; by default {@link HandlerOptions#DEFAULT_BATCH} if it takes a list. */
    int batch() default 0;

    /**
     * Runs the handler in a transaction that also records its success: its changes to that database happen exactly
     * once. A failed batch is rolled back and its events are tried one by one.
     */
    boolean transactional() default false;
}
