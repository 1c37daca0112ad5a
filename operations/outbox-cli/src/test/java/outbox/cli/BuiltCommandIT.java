package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import outbox.EventEnvelope;
import outbox.control.ControlCenter;
import outbox.control.access.Accounts;
import outbox.control.access.Actor;
import outbox.control.access.Rights;
import outbox.control.access.Role;
import outbox.control.act.OperationState;
import outbox.control.act.Operations;
import outbox.control.server.ControlCenterServer;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.handler.HandlerState;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventStatus;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;
import tools.jackson.databind.JsonNode;

/** The jar as it is shipped, against the control center as it is shipped, on PostgreSQL. */
@Timeout(300)
class BuiltCommandIT {
    private static final Path JAR = Path.of(System.getProperty("outbox.cli.jar", "target/outbox-cli-all.jar"));

    @TempDir
    private static Path directory;

    private static TestDatabase database;
    private static AbstractJdbcOutboxStore store;
    private static ConfigurableApplicationContext server;
    private static String url;
    private static String operator;
    private static String viewer;

    /** Option for the classes that commands load, which is most of their work: written down by one, for all others. */
    private static String classes;

    @BeforeAll
    static void start() throws Exception {
        database = EmbeddedPostgres.shared().freshDatabase();
        store = JdbcOutboxStores.get("postgresql");
        try (Connection conn = database.dataSource().getConnection()) {
            store.schema().apply(conn);
            IdempotencySchema.of("postgresql").apply(conn);
        }
        SpringApplication application = new SpringApplication(ControlCenterServer.class);
        application.setDefaultProperties(Map.of(
                "server.port", "0",
                "server.address", "127.0.0.1",
                "outbox.control-center.data-dir", directory.resolve("data").toString(),
                "outbox.control-center.applications.orders.url", database.jdbcUrl(),
                "outbox.control-center.applications.orders.username", database.username(),
                "outbox.control-center.applications.orders.password", database.password()));
        server = application.run();
        url = "http://127.0.0.1:" + server.getEnvironment().getProperty("local.server.port") + "/outbox";
        operator = token("operator", Role.OPERATOR);
        viewer = token("viewer", Role.VIEWER);
        Path archive = directory.resolve("classes.jsa");
        classes = "-XX:ArchiveClassesAtExit=" + archive;
        run(viewer, "events", "ls");
        classes = "-XX:SharedArchiveFile=" + archive;
    }

    private static String token(String name, Role role) throws Exception {
        return server.getBean(Accounts.class)
                .createToken(name, Rights.of(Map.of("orders", role)), Duration.ofDays(1), Actor.PROGRAM)
                .secret();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Run run(String token, String... command) throws Exception {
        List<String> words = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xlog:disable",
                classes,
                "-jar",
                JAR.toString()));
        words.addAll(List.of(command));
        File out = Files.createTempFile(directory, "out", "").toFile();
        File err = Files.createTempFile(directory, "err", "").toFile();
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectInput(new File("/dev/null"))
                .redirectOutput(out)
                .redirectError(err);
        builder.environment().put("OUTBOX_SERVER", url);
        builder.environment().remove("OUTBOX_TOKEN");
        if (token != null) {
            builder.environment().put("OUTBOX_TOKEN", token);
        }
        Process process = builder.start();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("still running: " + words);
        }
        return new Run(
                process.exitValue(),
                Files.readString(out.toPath(), StandardCharsets.UTF_8),
                Files.readString(err.toPath(), StandardCharsets.UTF_8));
    }

    private static String dead(String type) throws Exception {
        EventEnvelope event = EventEnvelope.builder(type)
                .aggregateType("Order")
                .aggregateId("42")
                .payloadJson("{\"order\":42}")
                .build();
        try (Connection conn = database.dataSource().getConnection()) {
            store.insertNew(conn, event);
            store.markDead(conn, event.eventId(), "the receiver answered 503");
        }
        return event.eventId();
    }

    private static EventStatus status(String id) throws Exception {
        try (Connection conn = database.dataSource().getConnection()) {
            return store.lookup().one(conn, id).status();
        }
    }

    @Test
    void eventsAreListedShownAndRetried() throws Exception {
        String id = dead("order.placed");
        dead("order.cancelled");

        Run list = run(viewer, "events", "ls", "--state", "dead", "--type", "order.placed");
        assertThat(list.code()).as(list.all()).isZero();
        assertThat(list.out())
                .contains("ID", "STATE", id, "dead", "Order/42", "503")
                .doesNotContain("order.cancelled", "\u001B");

        JsonNode json = Screen.JSON.readTree(
                run(viewer, "events", "ls", "--state", "dead", "--type", "order.placed", "-o", "json")
                        .out());
        assertThat(json.path("events").path(0).path("id").asString()).isEqualTo(id);

        Run show = run(viewer, "events", "show", id);
        assertThat(show.out()).contains("order.placed").contains("Last error:").contains("the receiver answered 503");

        Run retry = run(operator, "events", "retry", id, "--reason", "receiver is back");
        assertThat(retry.code()).as(retry.all()).isZero();
        assertThat(retry.out()).contains("retried");
        assertThat(status(id)).isEqualTo(EventStatus.NEW);
    }

    /** One handler waits for an hour, another gave up: the row alone would be due, and nothing would be delivered. */
    private static String waiting(String type) throws Exception {
        String id = dead(type);
        try (Connection conn = database.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute("UPDATE outbox_event SET status = 2, available_at = available_at + INTERVAL '1 hour'"
                    + " WHERE event_id = '" + id + "'");
        }
        new JdbcEventConsumptionTracker("postgresql", database.dataSource()::getConnection, new ThreadLocalTxContext())
                .record(List.of(
                        new HandlerOutcome(id, "mail", HandlerState.RETRY, 3, Duration.ofHours(1), "smtp down"),
                        new HandlerOutcome(id, "crm", HandlerState.DEAD, 5, Duration.ZERO, "gone")));
        return id;
    }

    private static void assertHandlersAreDue(String id) {
        assertThat(new JdbcEventConsumptionTracker(
                                "postgresql", database.dataSource()::getConnection, new ThreadLocalTxContext())
                        .progressOf(id))
                .extracting(HandlerProgress::handler, HandlerProgress::state, HandlerProgress::dueIn)
                .containsExactlyInAnyOrder(
                        tuple("mail", HandlerState.RETRY, Duration.ZERO),
                        tuple("crm", HandlerState.RETRY, Duration.ZERO));
    }

    @Test
    void aRetriedEventIsDueForItsHandlersToo() throws Exception {
        String one = waiting("order.waits");
        Run retry = run(operator, "events", "retry", one);
        assertThat(retry.code()).as(retry.all()).isZero();
        assertHandlersAreDue(one);

        List<String> many = List.of(waiting("order.waits.too"), waiting("order.waits.too"));
        Run bulk = run(
                operator, "ops", "start", "retry", "--type", "order.waits.too", "-m", "it is back", "-y", "--follow");
        assertThat(bulk.code()).as(bulk.all()).isZero();
        many.forEach(BuiltCommandIT::assertHandlersAreDue);
    }

    @Test
    void refusalsHaveCodesOfTheirOwnAndSecretsAreNotRepeated() throws Exception {
        String id = dead("order.refused");
        Run nobody = run(null, "events", "ls", "--app", "orders");
        assertThat(nobody.code()).isEqualTo(3);
        assertThat(nobody.err()).contains("OUTBOX_TOKEN");

        Run wrong = run("obx_wrong-secret", "events", "ls", "--app", "orders");
        assertThat(wrong.code()).isEqualTo(3);
        assertThat(wrong.err()).contains("wrong or has expired");
        assertThat(wrong.all()).doesNotContain("wrong-secret");

        Run forbidden = run(viewer, "events", "retry", id);
        assertThat(forbidden.code()).isEqualTo(4);
        assertThat(status(id)).isEqualTo(EventStatus.DEAD);

        Run missing = run(viewer, "events", "show", "01ARZ3NDEKTSV4RRFFQ69G5FAV");
        assertThat(missing.code()).isEqualTo(5);
        assertThat(missing.err()).contains("there is no event 01ARZ3NDEKTSV4RRFFQ69G5FAV");

        Run other = run(viewer, "events", "ls", "--app", "billing");
        assertThat(other.code()).isEqualTo(5);

        Run some = run(operator, "events", "retry", id, "01ARZ3NDEKTSV4RRFFQ69G5FAV");
        assertThat(some.code()).isEqualTo(1);
        assertThat(some.out()).contains("retried").contains("there is no event");
    }

    @Test
    void theDoctorAnswersOverTheApiAndOnTheDatabase() throws Exception {
        dead("order.ill");
        Run api = run(viewer, "doctor");
        assertThat(api.code()).as(api.all()).isEqualTo(1);
        assertThat(api.out()).contains("dead-letters").contains("Is the outbox written in the business transaction?");

        Run direct = run(
                null,
                "doctor",
                "--url",
                database.jdbcUrl(),
                "--user",
                database.username(),
                "--fail-on",
                "critical",
                "-o",
                "json");
        assertThat(direct.code()).as(direct.all()).isZero();
        assertThat(Screen.JSON.readTree(direct.out()).path("database").asString())
                .isEqualTo("postgresql");

        Run away = run(null, "doctor", "--url", "jdbc:postgresql://127.0.0.1:1/shop?password=hunter2");
        assertThat(away.code()).isEqualTo(2);
        assertThat(away.err()).contains("cannot check table outbox_event");
        assertThat(away.all()).doesNotContain("hunter2").doesNotContain("\tat ");
    }

    @Test
    void manyEventsAreRetriedByAnOperation() throws Exception {
        String first = dead("order.bulk");
        String second = dead("order.bulk");
        String[] start = {
            "ops", "start", "retry", "--state", "dead", "--type", "order.bulk", "--reason", "receiver is back"
        };

        Run trial = run(operator, with(start, "--dry-run"));
        assertThat(trial.code()).as(trial.all()).isZero();
        assertThat(trial.err()).contains("retry would apply to 2 events").contains(first);
        Run unasked = run(operator, start);
        assertThat(unasked.code()).isEqualTo(2);
        assertThat(unasked.err()).contains("nothing was changed; use --yes");
        assertThat(status(first)).isEqualTo(EventStatus.DEAD);
        assertThat(run(viewer, with(start, "--yes")).code()).isEqualTo(4);

        Run done = run(operator, with(start, "--yes", "--follow"));
        assertThat(done.code()).as(done.all()).isZero();
        assertThat(done.err()).contains("100 %  2/2, done").doesNotContain("\u001B");
        assertThat(status(first)).isEqualTo(EventStatus.NEW);
        assertThat(status(second)).isEqualTo(EventStatus.NEW);

        JsonNode list =
                Screen.JSON.readTree(run(viewer, "ops", "ls", "-o", "json").out());
        String id = list.path("operations").path(0).path("id").asString();
        Run show = run(viewer, "ops", "show", id);
        assertThat(show.out()).contains("receiver is back").contains(second).contains("done");
        assertThat(run(operator, "ops", "cancel", id).code()).as("it is over").isEqualTo(6);
        assertThat(run(viewer, "ops", "show", "01ARZ3NDEKTSV4RRFFQ69G5FAV").code())
                .isEqualTo(5);
    }

    @Test
    void anOperationIsPausedResumedAndCancelled() throws Exception {
        for (int i = 0; i < 120; i++) { // at one a second it does not end by itself
            dead("order.slow");
        }
        Run start = run(
                operator,
                "ops",
                "start",
                "retry",
                "--type",
                "order.slow",
                "-m",
                "slowly",
                "--rate",
                "1",
                "-y",
                "-o",
                "json");
        assertThat(start.code()).as(start.all()).isZero();
        String id = Screen.JSON.readTree(start.out()).path("id").asString();
        Operations operations = server.getBean(ControlCenter.class).operations();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> operations.find("orders", id).state() == OperationState.RUNNING);
        assertThat(run(operator, "ops", "pause", id).out()).contains("paused");
        assertThat(run(viewer, "ops", "follow", id).err()).contains("paused");
        assertThat(run(operator, "ops", "resume", id).code()).isZero();
        assertThat(run(operator, "ops", "cancel", id).out()).contains("cancelled");
    }

    private static String[] with(String[] command, String... more) {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(List.of(more));
        return words.toArray(String[]::new);
    }

    @Test
    void theScriptFindsTheJar() throws Exception {
        Path script = Files.copy(Path.of("outbox"), directory.resolve("outbox"));
        script.toFile().setExecutable(true);
        Process without =
                new ProcessBuilder(script.toString()).redirectErrorStream(true).start();
        assertThat(new String(without.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .contains("there is no outbox-cli");
        assertThat(without.waitFor()).isEqualTo(2);

        Files.copy(JAR, directory.resolve("outbox-cli-1-all.jar"));
        Process with = new ProcessBuilder(script.toString(), "--version")
                .redirectErrorStream(true)
                .start();
        assertThat(new String(with.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .matches("outbox \\d+\\.\\d+\\.\\d+.*\\R");
        assertThat(with.waitFor()).isZero();
    }
}
