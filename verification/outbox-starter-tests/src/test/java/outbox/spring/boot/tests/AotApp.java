package outbox.spring.boot.tests;

import java.util.Map;
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
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.webhook.WebhookSecret;

/** Two named outboxes and a webhook; publishes one event in each and ends. Run by {@link AotIT}. */
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

    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(AotApp.class);
        application.setDefaultProperties(Map.of(
                "spring.main.web-application-type", "none",
                "outbox.schema.mode", "always",
                "outbox.instances.orders.data-source", "ordersData",
                "outbox.instances.billing.data-source", "billingData",
                "outbox.webhook.endpoints.crm.url", "https://crm.example.com/in",
                "outbox.webhook.endpoints.crm.secrets", WebhookSecret.generate().reveal(),
                "outbox.webhook.endpoints.crm.event-types", "customer.*"));
        try (ConfigurableApplicationContext context = application.run(arguments)) {
            publish(context, "orders");
            publish(context, "billing");
            Awaitility.await().until(() -> context.getBean(Mailer.class).mails.size() == 2);
            System.out.println(DELIVERED);
        }
    }

    private static void publish(ConfigurableApplicationContext context, String instance) {
        new TransactionTemplate(context.getBean(instance + "Transactions", PlatformTransactionManager.class))
                .executeWithoutResult(
                        status -> context.getBean(instance + "DomainEventPublisher", DomainEventPublisher.class)
                                .publish(new OrderPlaced(instance)));
    }
}
