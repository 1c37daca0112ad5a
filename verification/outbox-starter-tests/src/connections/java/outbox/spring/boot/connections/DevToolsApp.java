package outbox.spring.boot.connections;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.devtools.restart.Restarter;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.ActiveEntity;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;

/** Publishes an event, is restarted by DevTools with new classes, and publishes another. Run by {@link DevToolsIT}. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(DevToolsApp.Mailer.class)
public class DevToolsApp {
    static final String DELIVERED = "delivered after a restart: ";
    private static final String RESTARTED = "devtools.app.restarted";

    @EventName("devtools.order.placed")
    record OrderPlaced(String eventId, Instant occurredAt, String orderId) implements DomainEvent {}

    static class Order extends ActiveEntity {
        void place(String id) {
            apply(new OrderPlaced(DomainEvent.newId(), Instant.now(), id));
        }

        @Override
        protected String aggregateType() {
            return "Order";
        }

        @Override
        protected String aggregateId() {
            return "1";
        }
    }

    static class Mailer {
        final List<String> mails = new CopyOnWriteArrayList<>();

        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {
            mails.add(event.orderId());
        }
    }

    @Bean
    ApplicationRunner work(
            ConfigurableApplicationContext context, PlatformTransactionManager transactions, Mailer mailer) {
        return arguments -> {
            boolean restarted = Boolean.getBoolean(RESTARTED);
            String order = restarted ? "second" : "first";
            new TransactionTemplate(transactions).executeWithoutResult(status -> new Order().place(order));
            Awaitility.await().until(() -> mailer.mails.contains(order));
            if (restarted) {
                boolean ownLoader = getClass().getClassLoader() != ClassLoader.getSystemClassLoader();
                System.out.println(DELIVERED + mailer.mails + ", by new classes: " + ownLoader);
                Thread end = new Thread(() -> System.exit(SpringApplication.exit(context)));
                end.start();
            } else {
                System.setProperty(RESTARTED, "true");
                new Thread(() -> Restarter.getInstance().restart()).start();
            }
        };
    }

    public static void main(String[] arguments) {
        SpringApplication.run(
                DevToolsApp.class,
                "--spring.main.web-application-type=none",
                "--spring.datasource.url=jdbc:h2:mem:devtools",
                "--outbox.poll.interval=100ms");
    }
}
