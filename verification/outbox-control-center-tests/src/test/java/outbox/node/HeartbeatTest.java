package outbox.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.control.OutboxTable;
import outbox.control.source.EventReader;
import outbox.control.source.EventState;
import outbox.control.source.NodeReader;
import outbox.jdbc.store.JdbcOutbox;
import outbox.listener.ControlledListener;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.BreakerState;
import outbox.testing.server.EmbeddedPostgres;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookPublisher;
import outbox.webhook.WebhookSecret;

@Timeout(120)
class HeartbeatTest {
    private final ConcurrentLinkedQueue<String> delivered = new ConcurrentLinkedQueue<>();
    private final ControlledListener mail = ControlledListener.of(
                    (EventEnvelope event) -> delivered.add(event.eventId()))
            .name("mail")
            .build();
    private OutboxTable table;
    private NodeReader reader;

    @BeforeEach
    void table() throws SQLException {
        table = OutboxTable.on(EmbeddedPostgres.shared());
        reader = new NodeReader(table.application());
    }

    private Heartbeat heartbeat(java.time.InstantSource clock) {
        return Heartbeat.builder(table.dataSource())
                .switchboard(Switchboard.of(mail))
                .clock(clock)
                .interval(Duration.ofHours(1))
                .build();
    }

    private Heartbeat beatingWhenTold(Switchboard board) {
        return Heartbeat.builder(table.dataSource())
                .switchboard(board)
                .interval(Duration.ofHours(1))
                .build();
    }

    private Outbox outbox(Heartbeat heartbeat, String node) {
        return JdbcOutbox.multiNode(table.dataSource())
                .nodeId(node)
                .metrics(heartbeat.metrics())
                .pollInterval(Duration.ofMillis(50))
                .listeners(new DefaultListenerRegistry().register("Order", "A", mail))
                .build();
    }

    @Test
    void aNodeTellsWhatItDidAndSaysGoodbye() throws SQLException {
        assertThat(reader.isKnown()).isFalse();
        assertThat(reader.nodes()).isEmpty();
        table.insert(OutboxTable.event("A", "1").build());
        try (Heartbeat heartbeat = heartbeat(() -> Instant.now().plusSeconds(60));
                Outbox outbox = outbox(heartbeat, "node-a")) {
            heartbeat.start(outbox);
            outbox.start();
            await().atMost(Duration.ofSeconds(60)).until(() -> delivered.size() == 1 && outbox.inFlight() == 0);
            heartbeat.beat();
            assertThat(reader.nodes()).singleElement().satisfies(node -> {
                assertThat(node.name()).startsWith("node-a/").isEqualTo(outbox.leaseOwner());
                assertThat(node.delivered()).isEqualTo(1);
                assertThat(node.clockOffsetMillis()).isBetween(50_000L, 70_000L);
                assertThat(node.silentSeconds()).isLessThan(60);
            });
            assertThat(reader.handlers()).singleElement().satisfies(handler -> {
                assertThat(handler.name()).isEqualTo("mail");
                assertThat(handler.breaker()).isEqualTo("closed");
                assertThat(handler.paused()).isFalse();
                assertThat(handler.delivered()).isEqualTo(1);
                assertThat(handler.failed()).isZero();
                assertThat(handler.actions()).containsExactly("pause");
            });
            assertThat(reader.forget(outbox.leaseOwner(), Duration.ofMinutes(1)))
                    .as("it is alive")
                    .isFalse();
        }
        assertThat(reader.nodes()).isEmpty();
        assertThat(reader.handlers()).isEmpty();
    }

    @Test
    void aNodeThatSaidGoodbyeComesBackAsAnother() throws SQLException {
        try (Heartbeat heartbeat = heartbeat(Instant::now);
                Outbox outbox = outbox(heartbeat, "node-a")) {
            heartbeat.start(outbox);
            outbox.start();
            heartbeat.close();
            outbox.stop();
            assertThat(reader.nodes()).isEmpty();

            heartbeat.start(outbox);
            outbox.start();
            heartbeat.beat();
            assertThat(reader.nodes()).extracting(NodeReader.Node::name).containsExactly(outbox.leaseOwner());
        }
        assertThat(reader.nodes()).isEmpty();
    }

    @Test
    void aNodeThatDiedIsMissedUntilItStartsAgain() throws SQLException {
        Heartbeat died = heartbeat(Instant::now);
        Outbox first = outbox(died, "node-a");
        died.start(first);
        first.close();
        table.execute("UPDATE outbox_node SET seen_at = seen_at - INTERVAL '5 minutes'");
        assertThat(reader.nodes())
                .singleElement()
                .satisfies(node -> assertThat(node.silentSeconds()).isGreaterThan(290));
        try (Heartbeat again = heartbeat(Instant::now);
                Outbox second = outbox(again, "node-a")) {
            again.start(second);
            assertThat(reader.nodes()).extracting(NodeReader.Node::name).containsExactly(second.leaseOwner());
        }
    }

    @Test
    void whatIsPausedInTheDatabaseIsPausedHereAndAfterARestart() throws SQLException {
        try (Heartbeat heartbeat = heartbeat(Instant::now);
                Outbox outbox = outbox(heartbeat, "node-a")) {
            heartbeat.start(outbox);
            outbox.start();
            reader.setPaused("mail", true, "their server moves", "anna");
            heartbeat.beat();
            assertThat(mail.isPaused()).isTrue();
        }
        mail.resume(); // as a new process would have it
        String id = table.insert(OutboxTable.event("A", "1").build());
        try (Heartbeat heartbeat = heartbeat(Instant::now);
                Outbox outbox = outbox(heartbeat, "node-a")) {
            heartbeat.start(outbox);
            outbox.start();
            outbox.pollOnce();
            assertThat(mail.isPaused()).isTrue();
            assertThat(reader.switches()).singleElement().satisfies(wanted -> {
                assertThat(wanted.paused()).isTrue();
                assertThat(wanted.reason()).isEqualTo("their server moves");
            });
            assertThat(delivered).isEmpty();
            reader.setPaused("mail", false, null, "anna");
            heartbeat.beat();
            await().atMost(Duration.ofSeconds(40)).until(() -> delivered.contains(id));
        }
        assertThat(new EventReader(table.application()).counts()).containsEntry(EventState.DONE, 1);
    }

    /** A board of one handler, that does what it is told. */
    private static Switchboard board(String handler, ConcurrentLinkedQueue<String> done) {
        return new Switchboard() {
            @Override
            public List<HandlerStatus> handlers() {
                return List.of(new HandlerStatus(
                        handler, "webhook", "", false, false, BreakerState.CLOSED, 0, 0, 0, 0, Set.of("test")));
            }

            @Override
            public boolean setPaused(String handler, boolean paused) {
                return false;
            }

            @Override
            public String perform(String action, String handler) {
                done.add(action + " " + handler);
                return "well";
            }
        };
    }

    @Test
    void aCommandIsLeftToANodeThatHasItsHandler() throws SQLException {
        ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();
        try (Heartbeat one = beatingWhenTold(board("erp", done));
                Heartbeat two = beatingWhenTold(board("crm", done));
                Outbox first = outbox(one, "node-1");
                Outbox second = outbox(two, "node-2")) {
            one.start(first);
            two.start(second);
            reader.command("test", "crm", false, "anna");
            reader.command("enable", "crm", true, "anna");
            one.beat();
            assertThat(done).isEmpty();
            two.beat();
            assertThat(done).containsExactlyInAnyOrder("test crm", "enable crm");
            assertThat(reader.commands())
                    .hasSize(2)
                    .allSatisfy(command -> assertThat(command.node()).isEqualTo(second.leaseOwner()));
        }
    }

    @Test
    void aCommandIsDoneByOneNodeOrByAll() throws SQLException {
        ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();
        Switchboard board = board("crm", done);
        try (Heartbeat one = beatingWhenTold(board);
                Heartbeat two = beatingWhenTold(board);
                Outbox first = outbox(one, "node-1");
                Outbox second = outbox(two, "node-2")) {
            one.start(first);
            two.start(second);
            reader.command("test", "crm", false, "anna");
            reader.command("enable", "crm", true, "anna");
            one.beat();
            two.beat();
            one.beat();
            assertThat(done).containsExactlyInAnyOrder("test crm", "enable crm", "enable crm");
            assertThat(reader.commands())
                    .hasSize(3)
                    .allSatisfy(command -> assertThat(command.outcome()).isEqualTo("well"));
        }
    }

    @Test
    void aWebhookEndpointAndItsListenerAreOneLineWithASecretToRotate() throws SQLException {
        List<String> rotated = new ArrayList<>();
        try (WebhookClient client = WebhookClient.builder().build()) {
            WebhookPublisher crm =
                    client.publisher(WebhookEndpoint.builder("crm", URI.create("https://crm.example.com/hooks"))
                            .secrets(WebhookSecret.generate())
                            .build());
            Heartbeat heartbeat = Heartbeat.builder(table.dataSource())
                    .switchboard(Switchboard.of(crm.controlled().build()))
                    .switchboard(new WebhookSwitchboard(
                            endpoint -> {
                                rotated.add(endpoint.name());
                                return "version 2 signs from now on, version 1 until tomorrow";
                            },
                            crm))
                    .interval(Duration.ofHours(1))
                    .build();
            try (heartbeat;
                    Outbox outbox = outbox(heartbeat, "node-a")) {
                heartbeat.start(outbox);
                assertThat(reader.handlers()).singleElement().satisfies(handler -> {
                    assertThat(handler.name()).isEqualTo("webhook-crm");
                    assertThat(handler.kind()).isEqualTo("webhook");
                    assertThat(handler.detail()).isEqualTo("crm.example.com");
                    assertThat(handler.actions()).containsExactly("enable", "pause", "rotate", "test");
                });
                reader.command(WebhookSwitchboard.ROTATE, "webhook-crm", false, "anna");
                heartbeat.beat();
                assertThat(rotated).containsExactly("crm");
                assertThat(reader.commands())
                        .singleElement()
                        .satisfies(command -> assertThat(command.outcome()).startsWith("version 2 signs"));
            }
        }
    }
}
