package outbox.idempotency.http;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A controller method that runs once per idempotency key. Its answer is kept, and repeated requests get it with its
 * status and headers.
 *
 * <pre>{@code
 * @PostMapping("/payments")
 * @Idempotent
 * ResponseEntity<Payment> pay(@RequestBody NewPayment wanted) { … }
 * }</pre>
 *
 * On a class it applies to all its methods for POST, PUT, PATCH and DELETE. Other HTTP methods are not affected.
 *
 * <p>{@link #key()}, {@link #tenant()} and {@link #caller()} are SpEL expressions on the request: {@code
 * header('X-Request-Id')}, {@code path('orderId')}, {@code param('id')}, {@code body('paymentId')} (a field of a JSON
 * object) and {@code principal} (the name of the authenticated user).
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Idempotent {
    /** Where the key comes from. Default: the header {@code Idempotency-Key}. */
    String key() default "";

    /** Whether a request without a key is rejected with 400. Otherwise it runs as if there were no annotation. */
    boolean required() default true;

    /**
     * Keys of different scopes are different keys. Default: HTTP method and path pattern, such as {@code POST
     * /payments}.
     */
    String scope() default "";

    /** The tenant: keys of different tenants are different keys. Default: none. */
    String tenant() default "";

    /** Who calls: keys of different callers are different keys, so nobody gets the answer to somebody else. */
    String caller() default "principal";

    /** How long the answer is kept, such as {@code 7d}; placeholders are resolved. Default: a property. */
    String ttl() default "";

    /**
     * Whether the method runs in a transaction that also stores the answer: either both are committed, or the key can be
     * used again. Not possible with asynchronous controllers and WebFlux. With {@code false} the answer is stored
     * afterwards, and a process that dies in between leaves a key whose request runs again.
     */
    boolean atomic() default true;
}
