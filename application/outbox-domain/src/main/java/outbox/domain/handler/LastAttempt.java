package outbox.domain.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a {@code boolean} parameter of an {@link EventHandler}: whether this handler gives the event up if it fails now,
 * because its attempts are used up.
 *
 * <pre>{@code
 * @EventHandler
 * void on(OrderPlaced event, @LastAttempt boolean last) { ... }
 * }</pre>
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface LastAttempt {}
