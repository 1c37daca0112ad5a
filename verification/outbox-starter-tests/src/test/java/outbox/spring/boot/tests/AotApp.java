package outbox.spring.boot.tests;

import java.util.Map;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.messaging.MessageChannel;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventRoute;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.webhook.WebhookSecret;

/** Two named outboxes and all modules that need no server; publishes one event in each and ends. Run by {@link AotIT}. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(
        excludeName = {
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration",
            "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration"
        })
@Import(Mailer.class)
public class AotApp {
    static final String DELIVERED = "delivered by both outboxes";

    @Bean
    DataSource ordersData() {
        return new DriverManagerDataSource("jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1");
    }

    @Bean
    DataSource billingData() {
        return new DriverManagerDataSource("jdbc:h2:mem:billing;DB_CLOSE_DELAY=-1");
    }

    @Bean
    PlatformTransactionManager ordersTransactions(@Qualifier("ordersData") DataSource ordersData) {
        return new JdbcTransactionManager(ordersData);
    }

    @Bean
    PlatformTransactionManager billingTransactions(@Qualifier("billingData") DataSource billingData) {
        return new JdbcTransactionManager(billingData);
    }

    @Bean
    MessageChannel customers() {
        return (message, timeout) -> true;
    }

    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(AotApp.class);
        application.setDefaultProperties(Map.ofEntries(
                Map.entry("spring.application.name", "aot"),
                Map.entry("spring.main.web-application-type", "none"),
                Map.entry("spring.flyway.enabled", "false"),
                Map.entry("spring.liquibase.enabled", "false"),
                Map.entry("outbox.schema.mode", "always"),
                Map.entry("outbox.instances.orders.data-source", "ordersData"),
                Map.entry("outbox.instances.billing.data-source", "billingData"),
                Map.entry("outbox.instances.billing.retry.max-attempts", "3"),
                Map.entry("outbox.headers.from-mdc", "requestId"),
                Map.entry("outbox.metrics.totals", "true"),
                Map.entry("outbox.encryption.keys.one", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="),
                Map.entry("outbox.contracts.enabled", "false"),
                Map.entry("outbox.webhook.endpoints.crm.url", "https://crm.example.com/in"),
                Map.entry(
                        "outbox.webhook.endpoints.crm.secrets",
                        WebhookSecret.generate().reveal()),
                Map.entry("outbox.webhook.endpoints.crm.event-types", "customer.*"),
                Map.entry("outbox.kafka.bootstrap-servers", "127.0.0.1:1"),
                Map.entry("outbox.kafka.event-types", "customer.*"),
                Map.entry("outbox.rabbitmq.uri", "amqp://127.0.0.1:1"),
                Map.entry("outbox.rabbitmq.event-types", "customer.*"),
                Map.entry("outbox.messaging.channel", "customers"),
                Map.entry("outbox.messaging.event-types", "customer.*"),
                Map.entry("outbox.alerts.webhook.url", "https://alerts.example.com/in"),
                Map.entry(
                        "outbox.alerts.webhook.secret", WebhookSecret.generate().reveal())));
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            publish(context, "orders");
            publish(context, "billing");
            Awaitility.await().until(() -> context.getBean(Mailer.class).mails.size() == 2);
            System.out.println(DELIVERED + " beside "
                    + String.join(
                            " ",
                            new TreeSet<>(context.getBeansOfType(EventRoute.class).values().stream()
                                    .map(EventRoute::name)
                                    .toList())));
        }
    }

    private static void publish(ConfigurableApplicationContext context, String instance) {
        new TransactionTemplate(context.getBean(instance + "Transactions", PlatformTransactionManager.class))
                .executeWithoutResult(
                        status -> context.getBean(instance + "DomainEventPublisher", DomainEventPublisher.class)
                                .publish(new OrderPlaced(instance)));
    }
}
