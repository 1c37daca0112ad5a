package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import com.xxl.job.core.executor.XxlJobExecutor;
import com.xxl.job.core.executor.impl.XxlJobSpringExecutor;
import com.xxl.job.core.handler.IJobHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.domain.DomainEventPublisher;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;
import outbox.testing.server.FreePort;
import outbox.testing.server.SimulatedXxlJobAdmin;
import outbox.xxljob.OutboxJobs;
import outbox.xxljob.admin.XxlJobAdmin;

/** The executor that the starter makes, against a simulated admin; outbox-xxl-job tests the jobs themselves. */
class XxlJobTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path logs;

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private HttpServer admin;

    @BeforeEach
    void startAdmin() throws IOException {
        admin = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        admin.createContext("/", exchange -> {
            calls.add(exchange.getRequestURI().getPath() + " "
                    + exchange.getRequestHeaders().getFirst("XXL-JOB-ACCESS-TOKEN") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            byte[] answer = "{\"code\":200}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        admin.start();
    }

    @AfterEach
    void stopAdmin() {
        admin.stop(0);
    }

    private void awaitCall(String... parts) {
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(calls).anySatisfy(call -> assertThat(call).contains(parts)));
    }

    @Test
    void anExecutorIsMadeOfPropertiesAndRunsTheJobs() throws Exception {
        int port = FreePort.find();
        Apps.app(Mailer.class)
                .withPropertyValues(
                        "spring.application.name=orders",
                        "outbox.poll.enabled=false",
                        "outbox.xxl-job.admin-addresses=http://127.0.0.1:"
                                + admin.getAddress().getPort(),
                        "outbox.xxl-job.access-token=token-for-tests",
                        "outbox.xxl-job.ip=127.0.0.1",
                        "outbox.xxl-job.port=" + port,
                        "outbox.xxl-job.log-path=" + logs)
                .run(context -> {
                    awaitCall("/api/registry ", "token-for-tests", "\"registryKey\":\"orders\"");
                    Apps.inTransaction(
                            context,
                            () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));

                    run(port, OutboxJobs.RECOVER);

                    awaitCall("/api/callback ", "\"handleCode\":200", "event(s) were due");
                    await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(context.getBean(Mailer.class).mails)
                                    .containsExactly("42"));
                });
        awaitCall("/api/registryRemove ", "\"registryKey\":\"orders\"");
    }

    @Test
    void anExecutorThatAnybodyCouldCallIsNotMade() {
        Apps.app(Mailer.class)
                .withPropertyValues("outbox.xxl-job.admin-addresses=http://127.0.0.1:1")
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("outbox.xxl-job.access-token is not set"));
    }

    @Test
    void withoutAnAdminThereIsNoExecutorAndNoJob() {
        Apps.app(Mailer.class).run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(XxlJobExecutor.class);
            assertThat(context.containsBean("outboxXxlJobs")).isFalse();
        });
    }

    /** Takes no calls: a process can start one executor in its life, and another test does. */
    static class OwnExecutor extends XxlJobSpringExecutor {
        @Override
        public void afterSingletonsInstantiated() {}

        @Override
        public void destroy() {}
    }

    @Test
    void theApplicationsOwnExecutorIsUsed() {
        Apps.app(Mailer.class, OwnExecutor.class)
                .withPropertyValues("outbox.xxl-job.admin-addresses=http://127.0.0.1:1")
                .run(context -> {
                    assertThat(context.getBeansOfType(XxlJobExecutor.class)).hasSize(1);
                    IJobHandler handler = XxlJobExecutor.loadJobHandler(OutboxJobs.WARN_FAILED);
                    assertThat(handler).isNotNull();
                });
    }

    @Test
    void theJobsCanBeSwitchedOff() {
        Apps.app(Mailer.class, OwnExecutor.class)
                .withPropertyValues("outbox.xxl-job.enabled=false")
                .run(context ->
                        assertThat(context.containsBean("outboxXxlJobs")).isFalse());
    }

    @Test
    void groupAndJobsAreRegisteredAtTheAdmin() throws Exception {
        try (SimulatedXxlJobAdmin center = new SimulatedXxlJobAdmin(SimulatedXxlJobAdmin.Generation.FROM_3_3)) {
            Apps.app(Mailer.class, OwnExecutor.class)
                    .withPropertyValues(
                            "spring.application.name=orders",
                            "outbox.xxl-job.admin-addresses=" + center.url(),
                            "outbox.xxl-job.username=" + SimulatedXxlJobAdmin.USER,
                            "outbox.xxl-job.password=" + SimulatedXxlJobAdmin.PASSWORD,
                            "outbox.xxl-job.author=Order team",
                            "outbox.xxl-job.title=The orders",
                            "outbox.xxl-job.recover-interval=45s")
                    .run(context -> {
                        await().atMost(PATIENCE)
                                .untilAsserted(() -> assertThat(center.jobs())
                                        .extracting(job -> job.get("executorHandler") + " " + job.get("scheduleConf")
                                                + " " + job.get("author") + " " + job.get("triggerStatus"))
                                        .containsExactly(
                                                "outboxRecover 45 Order team 1", "outboxWarnFailed 120 Order team 1"));
                        assertThat(center.groups())
                                .extracting(group -> group.get("appname") + " " + group.get("title"))
                                .containsExactly("orders The orders");
                    });
        }
    }

    @Test
    void theApplicationsOwnAdminIsUsed() throws Exception {
        try (SimulatedXxlJobAdmin center = new SimulatedXxlJobAdmin(SimulatedXxlJobAdmin.Generation.FROM_3_3)) {
            Apps.app(Mailer.class, OwnExecutor.class)
                    .withBean(
                            XxlJobAdmin.class,
                            () -> XxlJobAdmin.builder(center.url(), "orders")
                                    .login(SimulatedXxlJobAdmin.USER, SimulatedXxlJobAdmin.PASSWORD)
                                    .build())
                    .run(context -> await().atMost(PATIENCE)
                            .untilAsserted(() -> assertThat(center.jobs()).hasSize(2)));
        }
    }

    @Test
    void withoutAUserOrIfNotWantedNothingIsRegistered() {
        Apps.app(Mailer.class, OwnExecutor.class)
                .withPropertyValues("outbox.xxl-job.admin-addresses=http://127.0.0.1:1")
                .run(context -> assertThat(context).doesNotHaveBean(XxlJobAdmin.class));
        Apps.app(Mailer.class, OwnExecutor.class)
                .withPropertyValues(
                        "outbox.xxl-job.admin-addresses=http://127.0.0.1:1",
                        "outbox.xxl-job.username=outbox",
                        "outbox.xxl-job.password=secret",
                        "outbox.xxl-job.register=false")
                .run(context -> {
                    assertThat(context).hasSingleBean(XxlJobAdmin.class);
                    assertThat(context.containsBean("outboxXxlJobRegistration")).isFalse();
                });
    }

    private static void run(int port, String handler) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/run"))
                .header("XXL-JOB-ACCESS-TOKEN", "token-for-tests")
                .POST(HttpRequest.BodyPublishers.ofString("""
                        {"jobId": 7, "executorHandler": "%s", "executorParams": "", "executorBlockStrategy": "SERIAL_EXECUTION",
                         "logId": 7, "logDateTime": %d, "glueType": "BEAN", "broadcastIndex": 0, "broadcastTotal": 1}
                        """.formatted(handler, System.currentTimeMillis())))
                .build();
        await().atMost(PATIENCE).ignoreExceptionsInstanceOf(IOException.class).untilAsserted(() -> {
            HttpResponse<String> answer =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            assertThat(answer.body()).contains("\"code\":200");
        });
    }
}
