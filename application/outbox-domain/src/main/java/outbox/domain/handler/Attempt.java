package outbox.domain.handler;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On an {@code int} parameter of an {@link EventHandler}: which attempt of this handler this is, 1 for the first.
 *
 * <pre>{@code
 * @EventHandler
 * void on(OrderPlaced event, @Attempt int attempt) { ... }
 * }</pre>
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface Attempt {}
