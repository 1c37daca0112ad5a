package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.docs.Patience.await;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.OutboxWriter;
import outbox.dispatch.EventInterceptor;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventPublisher;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventRoute;
import outbox.domain.handler.RetryRule;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.type.HeaderSource;
import outbox.fleet.OutboxFleet;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.spring.SpringTxContext;
import outbox.spring.boot.OutboxCustomizer;

class SpringBootSnippets {
    static final List<String> SENT = new CopyOnWriteArrayList<>();

    @EventName("order.placed")
    record OrderPlaced(String eventId, Instant occurredAt, String orderId) implements DomainEvent {
        OrderPlaced(String orderId) {
            this(DomainEvent.newId(), Instant.now(), orderId);
        }
    }

    // snippet: handlers
    static class Warehouse {
        private final JdbcTemplate jdbc;

        Warehouse(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @EventHandler(name = "stock", transactional = true) // its effect on this database happens exactly once
        void reserve(OrderPlaced event) {
            jdbc.update("INSERT INTO stock VALUES (?)", event.orderId());
        }

        @EventHandler(name = "label", retry = "patient", deadOn = IllegalArgumentException.class)
        void print(OrderPlaced event) {
            send("label for " + event.orderId());
        }
    }
    // end

    // snippet: spring-events
    static class Orders {
        private final JdbcTemplate jdbc;
        private final ApplicationEventPublisher events;

        Orders(JdbcTemplate jdbc, ApplicationEventPublisher events) {
            this.jdbc = jdbc;
            this.events = events;
        }

        @Transactional
        public void place(String id) {
            jdbc.update("INSERT INTO orders VALUES (?)", id);
            events.publishEvent(new OrderPlaced(id)); // stored if and only if this transaction commits
        }
    }
    // end

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Warehouse.class, Orders.class})
    static class Application {
        // snippet: beans
        @Bean
        RetryRule patient() { // named by retry = "patient"
            return RetryRule.exponential(1_000, 600_000, 20);
        }

        @Bean
        HeaderSource headers() { // with every domain event
            return () -> Map.of("tenantId", currentTenant());
        }

        @Bean
        OutboxCustomizer lastWord() { // for what has no property
            return (name, builder) -> builder.interceptor(EventInterceptor.before(event -> log(event.eventId())));
        }
        // end

        // snippet: route
        @Bean
        EventRoute audit() {
            return EventRoute.to("audit", event -> send(event.eventType() + " " + event.payloadJson()))
                    .eventTypes("order.*", "payment.*");
        }
        // end
    }

    // snippet: qualifier
    static class Billing {
        private final OutboxWriter outbox;

        Billing(@Qualifier("billing") OutboxWriter outbox) {
            this.outbox = outbox;
        }
    }
    // end

    static class Mailer {
        @EventHandler
        void on(OrderPlaced event) {
            send("mail for " + event.orderId());
        }
    }

    // snippet: fleet
    @Configuration(proxyBeanMethods = false)
    static class Tenants {
        @Bean
        EventHandlers handlers(Mailer mailer) {
            return EventHandlers.scan(mailer)
                    .serializer(PayloadSerializers.detect())
                    .build();
        }

        @Bean // closed before its handlers and its data sources
        OutboxFleet fleet(Map<String, DataSource> tenants, EventHandlers handlers) {
            OutboxFleet fleet = OutboxFleet.builder().workers(16).build();
            tenants.forEach((tenant, dataSource) -> fleet.add(
                    tenant,
                    JdbcOutbox.multiNode(dataSource)
                            .transactions(new SpringTxContext(dataSource))
                            .listeners(handlers)));
            return fleet;
        }
    }
    // end

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Mailer.class, Tenants.class})
    static class Databases {
        @Bean
        DataSource acme() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        }

        @Bean
        DataSource globex() {
            return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        }
    }

    @Test
    void aFleetIsABean() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Databases.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "outbox.enabled=false")
                .run()) {
            DataSource acme = context.getBean("acme", DataSource.class);
            OutboxFleet fleet = context.getBean(OutboxFleet.class);
            assertThat(fleet.get("globex").leaseOwner()).isNotNull();
            OutboxSchema.of("h2", "outbox_event").statements().forEach(new JdbcTemplate(acme)::execute);

            new TransactionTemplate(new JdbcTransactionManager(acme))
                    .executeWithoutResult(tx ->
                            fleet.get("acme").writer().write("order.placed", "{\"eventId\":\"1\",\"orderId\":\"43\"}"));

            await().until(() -> SENT.contains("mail for 43"));
        }
    }

    private static String currentTenant() {
        return "acme";
    }

    private static void log(String text) {}

    private static void send(String text) {
        SENT.add(text);
    }

    @Test
    void allOfItWorksTogether() {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "spring.main.banner-mode=off",
                        "outbox.events.packages=outbox.docs.none",
                        "outbox.contracts.enabled=false",
                        "outbox.encryption.enabled=false")
                .run()) {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            jdbc.execute("CREATE TABLE stock (order_id VARCHAR(20))");
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(
                            tx -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));

            await().untilAsserted(() -> assertThat(SENT)
                    .anyMatch(text -> text.equals("label for 42"))
                    .anyMatch(text -> text.contains("order.placed")));
            await().until(() -> jdbc.queryForList("SELECT order_id FROM stock", String.class)
                    .equals(List.of("42")));

            jdbc.execute("CREATE TABLE orders (id VARCHAR(20))");
            context.getBean(Orders.class).place("44");
            await().until(() -> SENT.contains("label for 44"));
        }
        assertThat(new Billing(null).outbox).isNull();
    }
}
