package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** The next migration of a filled table runs while nodes of the version before write to it and deliver from it. */
@Tag("any-boot")
class SchemaUpgradeIT {
    private static final int ROWS_BEFORE = 5_000;
    private static final int PER_TRANSACTION = 100;
    private static final int AFTERWARDS = 200;
    private static final int WRITERS = 2;

    static Stream<DatabaseServer> servers() {
        return Stream.of(EmbeddedPostgres.shared(), EmbeddedMySql.shared());
    }

    static class Warehouse {
        final Queue<String> orders = new ConcurrentLinkedQueue<>();

        @EventHandler(name = "warehouse")
        void on(OrderPlaced event) {
            orders.add(event.orderId());
        }
    }

    private static ApplicationContextRunner node(TestDatabase database, String... properties) {
        return app().withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "outbox.schema.mode=flyway")
                .withPropertyValues(properties);
    }

    private static void publish(ApplicationContext context, Stream<String> orders) {
        DomainEventPublisher publisher = context.getBean(DomainEventPublisher.class);
        inTransaction(context, () -> orders.forEach(order -> publisher.publish(new OrderPlaced(order))));
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aFilledTableIsMigratedWhileItIsWrittenAndRelayed(DatabaseServer server) {
        TestDatabase database = server.freshDatabase();
        node(database).withBean(Warehouse.class).run(context -> {
            for (int i = 0; i < ROWS_BEFORE; i += PER_TRANSACTION) {
                publish(context, IntStream.range(i, i + PER_TRANSACTION).mapToObj(n -> "before-" + n));
            }
            Queue<String> published = new ConcurrentLinkedQueue<>();
            AtomicBoolean enough = new AtomicBoolean();
            ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
            try {
                List<? extends Future<?>> writing = IntStream.range(0, WRITERS)
                        .mapToObj(writer -> writers.submit(() -> {
                            for (int i = 0; !enough.get(); i++) {
                                String order = writer + "-" + i;
                                publish(context, Stream.of(order));
                                published.add(order);
                            }
                        }))
                        .toList();
                await().until(() -> published.size() > AFTERWARDS);

                // Creates the column and the indexes of ordered delivery, and delivers nothing.
                node(database, "outbox.mode=ordered", "outbox.auto-startup=false")
                        .run(upgrade -> assertThat(upgrade).hasNotFailed());

                int whenMigrated = published.size();
                await().until(() -> published.size() > whenMigrated + AFTERWARDS);
                enough.set(true);
                for (Future<?> writer : writing) {
                    writer.get();
                }
            } finally {
                enough.set(true);
                writers.shutdown();
            }

            Queue<String> delivered = context.getBean(Warehouse.class).orders;
            await().untilAsserted(() -> assertThat(delivered).hasSize(ROWS_BEFORE + published.size()));
            assertThat(delivered).doesNotHaveDuplicates().containsAll(published);
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            assertThat(jdbc.queryForObject("SELECT COUNT(DISTINCT seq) FROM outbox_event", Integer.class))
                    .isEqualTo(ROWS_BEFORE + published.size());
            await().untilAsserted(() -> assertThat(
                            jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status <> 1", Integer.class))
                    .isZero());
        });
        database.drop();
    }
}
