package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import outbox.spring.boot.OutboxAutoConfiguration;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** All replicas of a first deployment find the tables missing at the same time; one creates them, and all come up. */
@Tag("any-boot")
class ConcurrentFirstStartIT {
    private static final int REPLICAS = 8;
    private static final int ROUNDS = 5;
    private static final int ROUNDS_OF_TOOLS = 2;

    static Stream<Arguments> modes() {
        return Stream.of(
                        EmbeddedPostgres.shared(),
                        EmbeddedMySql.shared(),
                        EmbeddedMariaDb.shared(),
                        EmbeddedH2.shared())
                .flatMap(server ->
                        Stream.of("always", "flyway", "liquibase", "auto").map(mode -> Arguments.of(server, mode)));
    }

    @ParameterizedTest
    @MethodSource("modes")
    void allReplicasComeUpOnAnEmptyDatabase(DatabaseServer server, String mode) throws Exception {
        ExecutorService replicas = Executors.newFixedThreadPool(REPLICAS);
        try {
            int rounds = mode.equals("always") ? ROUNDS : ROUNDS_OF_TOOLS;
            for (int round = 0; round < rounds; round++) {
                TestDatabase database = server.freshDatabase();
                CyclicBarrier together = new CyclicBarrier(REPLICAS);
                List<Future<?>> starts = new ArrayList<>();
                for (int i = 0; i < REPLICAS; i++) {
                    starts.add(replicas.submit(() -> start(database, mode, together)));
                }
                for (Future<?> start : starts) {
                    start.get();
                }
                database.drop();
            }
        } finally {
            replicas.shutdownNow();
        }
    }

    private static void start(TestDatabase database, String mode, CyclicBarrier together) {
        DataSource dataSource = database.dataSource();
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(OutboxAutoConfiguration.class))
                .withPropertyValues("outbox.schema.mode=" + mode, "outbox.mode=ordered")
                .withBean(DataSource.class, () -> dataSource)
                .withBean(PlatformTransactionManager.class, () -> {
                    awaitOthers(together);
                    return new JdbcTransactionManager(dataSource);
                })
                .withBean(Mailer.class)
                // for mode auto: the application's own
                .withBean(
                        Flyway.class,
                        () -> Flyway.configure().dataSource(dataSource).load())
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static void awaitOthers(CyclicBarrier together) {
        try {
            together.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
