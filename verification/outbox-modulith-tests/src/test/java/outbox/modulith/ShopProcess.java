package outbox.modulith;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import outbox.modulith.shop.Shop;
import outbox.modulith.shop.orders.OrderCompleted;
import outbox.modulith.shop.orders.Orders;

/**
 * The shop as a process of its own, which runs until it is killed. With {@code --orders=true} it completes one order after
 * the other. Its transport answers {@code --answers} times and then no more, like a broker that hangs.
 */
final class ShopProcess {
    private ShopProcess() {}

    /** Arguments: properties of the application. */
    public static void main(String[] args) throws InterruptedException {
        ConfigurableApplicationContext shop = SpringApplication.run(new Class<?>[] {Shop.class, Transport.class}, args);
        if (shop.getEnvironment().getProperty("orders", Boolean.class, false)) {
            Orders orders = shop.getBean(Orders.class);
            for (int i = 0; true; i++) {
                orders.complete("o-" + i, i);
            }
        }
        Thread.currentThread().join();
    }

    @Configuration(proxyBeanMethods = false)
    static class Transport {
        @Bean
        EventExternalizationTransport transport(JdbcTemplate jdbc, Environment environment) {
            return new Hanging(jdbc, environment.getRequiredProperty("answers", Integer.class));
        }
    }

    /** Writes down what it sends. */
    private static final class Hanging implements EventExternalizationTransport {
        private final JdbcTemplate jdbc;
        private final AtomicInteger answers;

        Hanging(JdbcTemplate jdbc, int answers) {
            this.jdbc = jdbc;
            this.answers = new AtomicInteger(answers);
        }

        @Override
        public CompletableFuture<?> externalize(Object payload, RoutingTarget target) {
            if (answers.getAndDecrement() <= 0) {
                return new CompletableFuture<>();
            }
            jdbc.update("INSERT INTO sent (id) VALUES (?)", ((OrderCompleted) payload).orderId());
            return CompletableFuture.completedFuture("accepted");
        }
    }
}
