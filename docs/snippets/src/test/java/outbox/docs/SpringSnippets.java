package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.docs.Patience.await;

import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.registry.DefaultListenerRegistry;
import outbox.spring.SpringTxContext;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

class SpringSnippets {
    private static final TestDatabase DATABASE = EmbeddedH2.shared().freshDatabase();
    static final List<String> SENT = new CopyOnWriteArrayList<>();

    @Configuration
    @EnableTransactionManagement
    @Import({OutboxConfiguration.class, OrderService.class})
    static class Application {
        @Bean
        DataSource dataSource() {
            return DATABASE.dataSource();
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        JdbcTemplate jdbc(DataSource dataSource) {
            return new JdbcTemplate(dataSource);
        }

        @Bean
        Mailer mailer() {
            return new Mailer();
        }
    }

    @BeforeEach
    void createTables() throws Exception {
        try (Connection connection = DATABASE.dataSource().getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
            connection.createStatement().execute("CREATE TABLE orders (id INT PRIMARY KEY)");
        }
    }

    @AfterEach
    void drop() {
        DATABASE.drop();
    }

    @Test
    void placesAndDelivers() {
        try (var context = new AnnotationConfigApplicationContext(Application.class)) {
            OrderService orders = context.getBean(OrderService.class);
            orders.place(42);
            await().untilAsserted(() -> assertThat(SENT).containsExactly("{\"order\":42}"));
            assertThatThrownBy(() -> orders.place(42)).isInstanceOf(RuntimeException.class);
        }
        assertThat(SENT).containsExactly("{\"order\":42}");
    }
}

class Mailer {
    void send(String eventId, String payload) {
        SpringSnippets.SENT.add(payload);
    }
}

// snippet: configuration
@Configuration
class OutboxConfiguration {
    @Bean(initMethod = "start", destroyMethod = "close")
    Outbox outbox(DataSource dataSource, Mailer mailer) {
        return JdbcOutbox.multiNode(dataSource)
                .transactions(new SpringTxContext(dataSource))
                .listeners(new DefaultListenerRegistry()
                        .register("Order", "OrderPlaced", event -> mailer.send(event.eventId(), event.payloadJson())))
                .build();
    }

    @Bean
    OutboxWriter outboxWriter(Outbox outbox) {
        return outbox.writer();
    }
}
// end

// snippet: service
@Service
class OrderService {
    private final JdbcTemplate jdbc;
    private final OutboxWriter outbox;

    OrderService(JdbcTemplate jdbc, OutboxWriter outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    public void place(int orderId) {
        jdbc.update("INSERT INTO orders VALUES (?)", orderId);
        outbox.write(EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId(String.valueOf(orderId))
                .payloadJson("{\"order\":" + orderId + "}")
                .build());
    }
}
// end
