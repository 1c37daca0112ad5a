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
 * A test slice for event handling. The context contains the data source, transactions, JDBC, JPA and MyBatis if
 * present, and the outbox; no web server. Of the application's components it contains those with {@code @EventHandler}
 * methods, and those named by {@link #include()} or {@code @Import}.
 *
 * <p>Events are delivered after commit as usual; the rest is delivered by {@link TestOutbox#drain()}, because the
 * outbox does not poll. Retries follow after a few milliseconds, unless a handler has its own schedule.
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
    /** Properties of this test, such as {@code outbox.handlers.tracking=jdbc}; they override those of the slice. */
    String[] properties() default {};

    /** Further components of the application to include: these classes and their subclasses. */
    Class<?>[] include() default {};
}
