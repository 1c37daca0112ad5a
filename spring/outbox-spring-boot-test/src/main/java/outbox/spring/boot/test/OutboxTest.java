package outbox.spring.boot.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.test.context.BootstrapWith;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/**
 * A test of what an application does with events, and of nothing else of it. The context has the data source, transactions,
 * JDBC, JPA and MyBatis where they are there, and the outbox; no web server. Of the application's own components it has those
 * with {@code @EventHandler} methods, and those that {@link #include()} or {@code @Import} name.
 *
 * <p>Events are delivered after their commit as always; what is left over is delivered by {@link TestOutbox#drain()}, since the
 * outbox does not poll. Retries come after a few milliseconds, where a handler names no schedule of its own.
 *
 * <pre>{@code
 * @OutboxTest(include = OrderService.class)
 * class OrderServiceTest {
 *     @Autowired OrderService orders;
 *     @Autowired TestOutbox outbox;
 *
 *     @Test
 *     void anOrderIsMailed() {
 *         orders.place("42");
 *         outbox.published(OrderPlaced.class).withKey("42").once();
 *         outbox.drain();
 *         outbox.published(OrderPlaced.class).isDone();
 *     }
 * }
 * }</pre>
 */
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@BootstrapWith(OutboxTestContextBootstrapper.class)
@ExtendWith(SpringExtension.class)
@ImportAutoConfiguration
public @interface OutboxTest {
    /** Properties of this test, such as {@code outbox.handlers.tracking=jdbc}; they go before those of the slice. */
    String[] properties() default {};

    /** Components of the application to have beside those with handlers: these classes and what extends them. */
    Class<?>[] include() default {};
}
