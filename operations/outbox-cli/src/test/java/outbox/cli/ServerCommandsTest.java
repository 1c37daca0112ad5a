package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import outbox.EventEnvelope;
import outbox.control.access.Accounts;
import outbox.control.access.Actor;
import outbox.control.access.Rights;
import outbox.control.access.Role;
import outbox.control.server.ControlCenterServer;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.node.db.SchemaFile;

/** Commands in this JVM against a control center that runs here, with one application on H2. */
@Timeout(120)
class ServerCommandsTest {
    @TempDir
    private static Path directory;

    private static final JdbcDataSource ORDERS = new JdbcDataSource();
    private static final AbstractJdbcOutboxStore STORE = JdbcOutboxStores.get("h2");
    private static ConfigurableApplicationContext server;

    @BeforeAll
    static void start() throws Exception {
        ORDERS.setURL("jdbc:h2:file:" + directory.resolve("orders"));
        ORDERS.setUser("sa");
        ORDERS.setPassword("");
        try (Connection conn = ORDERS.getConnection()) {
            STORE.schema().apply(conn);
        }
        SchemaFile.ofNodes("h2").apply(ORDERS);
        SpringApplication application = new SpringApplication(ControlCenterServer.class);
        application.setDefaultProperties(Map.of(
                "outbox.control-center.data-dir",
                directory.resolve("data").toString(),
                "outbox.control-center.applications.orders.url",
                ORDERS.getURL(),
                "outbox.control-center.applications.orders.username",
                "sa",
                "outbox.control-center.applications.orders.password",
                ""));
        server = application.run("--server.port=0");
        token("viewer", Map.of("orders", Role.VIEWER));
        token("operator", Map.of("orders", Role.OPERATOR));
        token("admin", Map.of("*", Role.ADMIN));
    }

    private static void token(String name, Map<String, Role> roles) throws Exception {
        String secret = server.getBean(Accounts.class)
                .createToken(name, new Rights(roles, true, true), Duration.ofDays(1), Actor.PROGRAM)
                .secret();
        Files.writeString(directory.resolve(name), secret);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static String[] as(String who, String... command) {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(List.of(
                "--server",
                "http://127.0.0.1:" + server.getEnvironment().getProperty("local.server.port") + "/outbox",
                "--token-file",
                directory.resolve(who).toString()));
        return words.toArray(String[]::new);
    }

    private static Run run(String who, String... command) {
        return Run.of(as(who, command));
    }

    private static String dead(String type) throws Exception {
        EventEnvelope event = EventEnvelope.builder(type)
                .aggregateType("Order")
                .aggregateId("42")
                .payloadJson("{\"order\":42}")
                .build();
        try (Connection conn = ORDERS.getConnection()) {
            STORE.insertNew(conn, event);
            STORE.markDead(conn, event.eventId(), "the receiver answered 503");
        }
        return event.eventId();
    }

    @Test
    void singleEventsAreRetriedSkippedAndParked() throws Exception {
        String id = dead("order.single");
        assertThat(run("viewer", "events", "skip", id).code()).isEqualTo(ExitCode.FORBIDDEN);
        assertThat(run("operator", "events", "retry", id, "-m", "receiver is back")
                        .out())
                .contains(id, "retried");
        assertThat(run("operator", "events", "park", id).out()).contains("parked");
        assertThat(run("viewer", "events", "show", id).out()).contains("dead, parked");
        assertThat(run("operator", "events", "skip", id, "-o", "json").out()).contains("\"ok\" : true");
        Run again = run("operator", "events", "skip", id);
        assertThat(again.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(again.err())
                .contains("cannot be skipped now: it is already done")
                .doesNotContain("{");
        Run some = run("operator", "events", "retry", dead("order.single"), "none");
        assertThat(some.code()).isEqualTo(ExitCode.FOUND);
        assertThat(some.out()).contains("retried").contains("there is no event none");
    }

    @Test
    void anEventIsDeletedOnlyAfterConfirmation() throws Exception {
        String id = dead("order.deleted");
        Run unasked = run("operator", "events", "delete", id);
        assertThat(unasked.code()).isEqualTo(ExitCode.CANNOT_RUN);
        assertThat(unasked.err()).contains("nothing was changed; use --yes");
        assertThat(run("viewer", "events", "show", id).code()).isZero();
        assertThat(run("operator", "events", "delete", id, "--yes").out()).contains("deleted");
        assertThat(run("viewer", "events", "show", id).code()).isEqualTo(ExitCode.NOT_FOUND);
    }

    @Test
    void anEventIsClonedWithEdits() throws Exception {
        String id = dead("order.cloned");
        assertThat(run("viewer", "events", "clone", id).code()).isEqualTo(ExitCode.FORBIDDEN);
        Path payload = Files.writeString(directory.resolve("payload.json"), "{\"order\":43}");
        Run clone = run(
                "operator",
                "events",
                "clone",
                id,
                "--aggregate-id=43",
                "--payload-file=" + payload,
                "--header=region=eu",
                "-m",
                "lost",
                "-o",
                "json");
        assertThat(clone.code()).as(clone.all()).isZero();
        String made = Screen.JSON.readTree(clone.out()).path("id").asString();
        assertThat(run("operator", "events", "show", made, "--payload").out())
                .contains("Order/43", "header region", "header outbox-cloned-from", "43}");
    }

    @Test
    void handlersNodesAndErrorsAreSeen() throws Exception {
        dead("order.failing");
        try (Connection conn = ORDERS.getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute("INSERT INTO outbox_node VALUES ('shop-1', '1.4', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP,"
                    + " 0, 7, 2, 1, 0, 3, 0, 0)");
            statement.execute("INSERT INTO outbox_node_handler VALUES ('shop-1', 'crm/mail 1', 'listener', '', 0, 0, 0,"
                    + " 1, 0, 7, 2, '')");
        }
        assertThat(run("viewer", "nodes").out()).contains("NODE", "shop-1", "1.4", "s ago");
        assertThat(run("viewer", "handlers", "ls").out()).contains("crm/mail 1", "active", "closed");
        assertThat(run("viewer", "handlers", "pause", "crm/mail 1").code()).isEqualTo(ExitCode.FORBIDDEN);
        Run pause = run("operator", "handlers", "pause", "crm/mail 1", "-m", "INC-42");
        assertThat(pause.code()).as(pause.all()).isZero();
        assertThat(run("viewer", "handlers", "ls").err())
                .contains("crm/mail 1 was paused by token:operator")
                .contains("INC-42");
        assertThat(run("operator", "handlers", "resume", "crm/mail 1").code()).isZero();
        Run missing = run("operator", "handlers", "pause", "nobody");
        assertThat(missing.code()).isEqualTo(ExitCode.NOT_FOUND);
        assertThat(missing.err()).contains("there is no handler 'nobody'");
        assertThat(run("viewer", "errors").out()).contains("GROUP", "DEAD", "the receiver answered");
    }

    @Test
    void theAuditLogIsVerified() {
        assertThat(run("operator", "audit", "verify").code()).isEqualTo(ExitCode.FORBIDDEN);
        Run verified = run("admin", "audit", "verify");
        assertThat(verified.code()).as(verified.all()).isZero();
        assertThat(verified.out()).contains("entries, intact");
    }

    @Test
    void whatTheServerFindsWrongIsWrongUsage() {
        Run run = run("viewer", "events", "ls", "--state", "deda");
        assertThat(run.code()).isEqualTo(ExitCode.CANNOT_RUN);
        assertThat(run.err()).contains("deda").doesNotContain("{", "Exception");
    }

    @Test
    void newEventsAreFollowed() throws Exception {
        String before = dead("order.tailed");
        StringWriter out = new StringWriter();
        String[] command = as("viewer", "events", "tail", "--type", "order.tailed", "--from", "1h", "--interval", "1");
        Thread tail = new Thread(() -> OutboxCli.run(command, new PrintWriter(out), new PrintWriter(out)));
        tail.start();
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> out.toString().contains(before));
            String after = dead("order.tailed");
            await().atMost(Duration.ofSeconds(60)).until(() -> out.toString().contains(after));
            assertThat(out.toString().lines()).hasSize(2);
        } finally {
            tail.interrupt();
            tail.join();
        }
    }
}
