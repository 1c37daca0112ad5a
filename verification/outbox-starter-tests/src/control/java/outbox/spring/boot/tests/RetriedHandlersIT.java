package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.RetryAfterException;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.InMemoryConsumptionTracker;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;

/**
 * An operator retries events of which one handler waits for an hour and another gave up. Both are called at once, whichever
 * way he takes and wherever the application keeps the progress of its handlers.
 */
@Timeout(600)
class RetriedHandlersIT {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    static class Handlers {
        final List<String> called = new CopyOnWriteArrayList<>();
        volatile boolean isBack;

        @EventHandler(name = "mail")
        void mail(OrderPlaced event) {
            if (!isBack) {
                throw new RetryAfterException(Duration.ofHours(1), "smtp down");
            }
            called.add("mail " + event.orderId());
        }

        @EventHandler(name = "crm", maxAttempts = 1)
        void crm(OrderPlaced event) {
            if (!isBack) {
                throw new IllegalStateException("no such customer");
            }
            called.add("crm " + event.orderId());
        }
    }

    /** Keeps the progress where no statement reaches it. */
    static class OwnTracker {
        @Bean
        EventConsumptionTracker tracker() {
            return new InMemoryConsumptionTracker();
        }
    }

    /** Ways to retry. */
    enum Way {
        BUTTON,
        OPERATION,
        COMMAND,
        BULK_COMMAND
    }

    @ParameterizedTest
    @EnumSource
    void everyHandlerThatHasNotConsumedTheEventIsCalledAtOnce(Way way) throws Exception {
        retried(way);
    }

    @ParameterizedTest
    @EnumSource(names = {"BUTTON", "OPERATION"})
    void soItIsWhereTheApplicationHasATrackerOfItsOwn(Way way) throws Exception {
        retried(way, OwnTracker.class);
    }

    private void retried(Way way, Class<?>... more) throws Exception {
        List<Class<?>> parts = new ArrayList<>(List.of(Plain.class, LoginForm.class, Handlers.class));
        parts.addAll(List.of(more));
        try (ConfigurableApplicationContext context = ControlCenterApps.start(
                parts,
                "outbox.control-center.tokens.ci.secret=" + TOKEN,
                "outbox.control-center.tokens.ci.role=operator")) {
            JdbcTemplate table = new JdbcTemplate(context.getBean(DataSource.class));
            List<String> ids = List.of(publish(context, "1"), publish(context, "2"));
            await().atMost(PATIENCE).until(() -> count(table, 2) == 2);

            Handlers handlers = context.getBean(Handlers.class);
            handlers.isBack = true;
            retry(context, way, ids);

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(handlers.called)
                            .containsExactlyInAnyOrder("mail 1", "crm 1", "mail 2", "crm 2"));
            await().atMost(PATIENCE).until(() -> count(table, 1) == 2);
        }
    }

    private static String publish(ConfigurableApplicationContext context, String order) {
        String id = UUID.randomUUID().toString();
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                .executeWithoutResult(tx ->
                        context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(id, Instant.now(), order)));
        return id;
    }

    private static int count(JdbcTemplate table, int status) {
        Integer count = table.queryForObject(
                "SELECT COUNT(*) FROM outbox_event WHERE status = ? AND locked_by IS NULL", Integer.class, status);
        return count == null ? 0 : count;
    }

    private void retry(ConfigurableApplicationContext context, Way way, List<String> ids) throws Exception {
        switch (way) {
            case BUTTON -> {
                for (String id : ids) {
                    assertThat(post(context, "/events/" + id + "/retry", "{}").statusCode())
                            .isEqualTo(200);
                }
            }
            case OPERATION ->
                assertThat(post(
                                        context,
                                        "/operations",
                                        "{\"action\":\"retry\",\"filter\":{\"state\":\"retry\"},\"reason\":\"it is back\"}")
                                .statusCode())
                        .isEqualTo(201);
            case COMMAND -> command(context, "events", "retry", ids.get(0), ids.get(1), "--reason", "it is back");
            case BULK_COMMAND ->
                command(
                        context,
                        "ops",
                        "start",
                        "retry",
                        "--state",
                        "retry",
                        "--reason",
                        "it is back",
                        "--yes",
                        "--follow");
        }
    }

    private static HttpResponse<String> post(ConfigurableApplicationContext context, String path, String body)
            throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(
                                        URI.create(ControlCenterApps.server(context) + "/api/v1/apps/outbox" + path))
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .header("X-Outbox-Request", "test")
                                .header("Authorization", "Bearer " + TOKEN)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    /** The command line in a process of its own, as an operator runs it. */
    private void command(ConfigurableApplicationContext context, String... words) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "outbox.cli.OutboxCli"));
        command.addAll(List.of(words));
        File said = directory.resolve("said").toFile();
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said);
        builder.environment().put("OUTBOX_SERVER", ControlCenterApps.server(context));
        builder.environment().put("OUTBOX_TOKEN", TOKEN);
        Process process = builder.start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(said.toPath())).isZero();
    }
}
