package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

class NodeLeaseTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final AtomicLong nanos = new AtomicLong();

    static Stream<DatabaseServer> databases() {
        return Stream.of(
                EmbeddedH2.shared(), EmbeddedPostgres.shared(), EmbeddedMySql.shared(), EmbeddedMariaDb.shared());
    }

    private static TestDatabase withTable(DatabaseServer server) throws Exception {
        TestDatabase database = server.freshDatabase();
        try (Connection conn = database.dataSource().getConnection()) {
            OutboxSchema.ofResource(OutboxSchema.class, "/outbox/schema/lease.sql")
                    .apply(conn);
        }
        return database;
    }

    private NodeLease node(TestDatabase database, String node) {
        return new NodeLease(database.dataSource()::getConnection, "alerts", node, nanos::get);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void theFirstNodeHoldsItUntilItStopsRenewing(DatabaseServer server) throws Exception {
        TestDatabase database = withTable(server);
        NodeLease a = node(database, "a");
        NodeLease b = node(database, "b");
        assertThat(a.hold(PATIENCE)).isTrue();
        for (int i = 0; i < 5; i++) {
            nanos.addAndGet(Duration.ofSeconds(20).toNanos());
            assertThat(b.hold(PATIENCE)).isFalse();
            assertThat(a.hold(PATIENCE)).isTrue();
        }
        assertThat(b.hold(PATIENCE)).isFalse();
        nanos.addAndGet(PATIENCE.toNanos());
        assertThat(b.hold(PATIENCE)).as("a was silent for all of b's patience").isTrue();
        assertThat(a.hold(PATIENCE)).as("a comes back").isFalse();
        database.drop();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void whatIsReleasedIsTakenAtOnce(DatabaseServer server) throws Exception {
        TestDatabase database = withTable(server);
        NodeLease a = node(database, "a");
        NodeLease b = node(database, "b");
        assertThat(a.hold(PATIENCE)).isTrue();
        b.release();
        assertThat(b.hold(PATIENCE)).as("b released what it did not have").isFalse();
        a.release();
        assertThat(b.hold(PATIENCE)).isTrue();
        database.drop();
    }

    @ParameterizedTest
    @MethodSource("databases")
    void ofManyThatAskAtOnceOneGetsIt(DatabaseServer server) throws Exception {
        TestDatabase database = withTable(server);
        int nodes = 8;
        CyclicBarrier together = new CyclicBarrier(nodes);
        ExecutorService threads = Executors.newFixedThreadPool(nodes);
        try {
            List<Future<Boolean>> answers = new ArrayList<>();
            for (int i = 0; i < nodes; i++) {
                NodeLease lease = node(database, "node-" + i);
                answers.add(threads.submit(() -> {
                    together.await();
                    return lease.hold(PATIENCE);
                }));
            }
            int holders = 0;
            for (Future<Boolean> answer : answers) {
                holders += answer.get() ? 1 : 0;
            }
            assertThat(holders).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
        database.drop();
    }
}
