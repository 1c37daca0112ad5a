package outbox.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import outbox.Outbox;
import outbox.control.OutboxTable;
import outbox.control.source.NodeReader;
import outbox.jdbc.store.JdbcOutbox;
import outbox.node.db.SchemaFile;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.BreakerState;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;

@Timeout(300)
class HeartbeatOnEveryDatabaseIT {
    private final List<String> performed = new CopyOnWriteArrayList<>();

    static Stream<DatabaseServer> servers() {
        return Stream.of(
                EmbeddedH2.shared(), EmbeddedPostgres.shared(), EmbeddedMySql.shared(), EmbeddedMariaDb.shared());
    }

    /** A handler that can be paused and obeys one command. */
    private final class Board implements Switchboard {
        private boolean paused;

        @Override
        public List<HandlerStatus> handlers() {
            return List.of(new HandlerStatus(
                    "mail", "handler", "", paused, false, BreakerState.CLOSED, 0, 0, 0, 0, java.util.Set.of("test")));
        }

        @Override
        public boolean setPaused(String handler, boolean wanted) {
            paused = wanted;
            return true;
        }

        @Override
        public String perform(String action, String handler) {
            performed.add(action + " " + handler);
            return "done";
        }
    }

    @ParameterizedTest
    @MethodSource("servers")
    void aHeartbeatSaysThatTheNodeLivesAndReadsWhatOperatorsWant(DatabaseServer server) throws Exception {
        OutboxTable table = OutboxTable.on(server);
        SchemaFile.ofNodes(server.name()).apply(table.dataSource());
        NodeReader reader = new NodeReader(table.application());
        reader.setPaused("mail", true, "a test", "anna");
        reader.command("test", "mail", false, "anna");
        try (Heartbeat heartbeat = Heartbeat.builder(table.dataSource())
                        .switchboard(new Board())
                        .interval(Duration.ofHours(1))
                        .build();
                Outbox outbox = JdbcOutbox.multiNode(table.dataSource())
                        .nodeId("node-a")
                        .metrics(heartbeat.metrics())
                        .listeners(new DefaultListenerRegistry())
                        .build()) {
            heartbeat.start(outbox);
            assertThat(performed).as("a command of before the start").isEmpty();

            heartbeat.beat();
            assertThat(reader.nodes()).singleElement().satisfies(node -> {
                assertThat(node.silentSeconds()).isCloseTo(0, within(120.0));
                assertThat(Math.abs(node.clockOffsetMillis())).isLessThan(120_000);
                assertThat(node.attemptsLost()).as("it records none").isNull();
            });
            assertThat(reader.handlers())
                    .singleElement()
                    .satisfies(handler -> assertThat(handler.paused()).isTrue());

            reader.command("test", "mail", false, "anna");
            heartbeat.beat();
            heartbeat.beat();
            assertThat(performed).containsExactly("test mail");
        }
    }
}
