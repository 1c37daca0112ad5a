package outbox.benchmark.own;

import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.benchmark.BenchDatabase;
import outbox.benchmark.Contender;
import outbox.benchmark.Payloads;
import outbox.benchmark.peer.SpringPeer;
import outbox.benchmark.raw.OutboxTable;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;

/** Two typed handlers in a Spring Boot application with the starter, all defaults; transactions of its data source. */
public final class StarterOutbox implements Contender {

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    public static class Application {
        @Bean
        Handlers handlers(SpringPeer.Deliveries deliveries) {
            return new Handlers(deliveries.listener());
        }
    }

    /** Its handlers. */
    public static class Handlers {
        private final Runnable deliveries;
        private final LongAdder others = new LongAdder();

        Handlers(Runnable deliveries) {
            this.deliveries = deliveries;
        }

        @EventHandler(name = "first")
        public void first(HandlersOutbox.Happened event) {
            deliveries.run();
        }

        @EventHandler(name = "other")
        public void other(HandlersOutbox.Happened event) {
            others.increment();
        }
    }

    @Override
    public String id() {
        return "starter";
    }

    @Override
    public String title() {
        return "this project, two handlers with the Spring Boot starter";
    }

    @Override
    public String remarks() {
        return "As twohandlers, in a Spring Boot application with the starter, DataSourceTransactionManager and"
                + " DomainEventPublisher; all defaults.";
    }

    @Override
    public void createTables(BenchDatabase database) throws SQLException {
        HandlersOutbox.TWO.createTables(database);
    }

    @Override
    public void clear(BenchDatabase database) throws SQLException {
        HandlersOutbox.TWO.clear(database);
    }

    @Override
    public void seed(BenchDatabase database, int events) throws SQLException {
        OutboxTable.seed(database, events, 0, Payloads.BYTES);
    }

    @Override
    public Engine start(BenchDatabase database, Runnable listener) throws SQLException {
        AtomicLong written = new AtomicLong(OutboxTable.pending(database));
        SpringPeer application = new SpringPeer(
                Application.class,
                database,
                listener,
                SpringPeer.AUTO_CONFIGURATIONS,
                Map.of(SpringPeer.OUTBOX, true, "outbox.encryption.enabled", false));
        DomainEventPublisher publisher = application.bean(DomainEventPublisher.class);
        return new Engine() {
            @Override
            public void write(int number) {
                String text = Payloads.of(number, Payloads.BYTES - "{'order':,'text':''}".length());
                application.inTransaction(
                        () -> publisher.publish(new HandlersOutbox.Happened(number, text.replace('"', ' '))));
                written.incrementAndGet();
            }

            @Override
            public long unsettled() throws SQLException {
                return OutboxTable.pending(database);
            }

            @Override
            public void close() {
                long others = application.bean(Handlers.class).others.sum();
                application.close();
                if (others != written.get()) {
                    throw new IllegalStateException(
                            "the other handler was called " + others + " times for " + written + " events");
                }
            }
        };
    }
}
