package outbox.spring.boot.tests;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.assertj.ApplicationContextAssertProvider;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;

/** Small applications to start in tests. */
final class Apps {
    static {
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60)); // a busy machine is no failure
    }

    private Apps() {}

    @EventName("order.placed")
    record OrderPlaced(String eventId, Instant occurredAt, String orderId) implements DomainEvent {
        OrderPlaced(String orderId) {
            this(DomainEvent.newId(), Instant.now(), orderId);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    static class Mailer {
        final List<String> mails = new CopyOnWriteArrayList<>();

        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {
            mails.add(event.orderId());
        }
    }

    /** JPA takes seconds of every start; {@link PersistenceTest} is about it. */
    private static final String WITHOUT_JPA = "spring.autoconfigure.exclude="
            + "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration,"
            + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
            + "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration,"
            + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

    /** An application on a database of its own. */
    static ApplicationContextRunner app(Class<?>... beans) {
        ApplicationContextRunner runner = new ApplicationContextRunner()
                .withUserConfiguration(Plain.class)
                .withPropertyValues(
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        WITHOUT_JPA,
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        "outbox.contracts.enabled=false",
                        "outbox.encryption.enabled=false");
        for (Class<?> type : beans) {
            runner = runner.withBean(type);
        }
        return runner;
    }

    /** Why an application did not start. */
    static Throwable failureOf(ApplicationContextAssertProvider<?> context) {
        return NestedExceptionUtils.getMostSpecificCause(Objects.requireNonNull(context.getStartupFailure()));
    }

    static void inTransaction(ApplicationContext context, Runnable work) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(status -> work.run());
    }
}
