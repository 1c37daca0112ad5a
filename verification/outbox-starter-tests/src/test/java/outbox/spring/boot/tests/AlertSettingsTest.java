package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.failureOf;
import static outbox.spring.boot.tests.Apps.inTransaction;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.OutboxRelay;
import outbox.OutboxWriter;
import outbox.alert.AlertChannel;
import outbox.alert.AlertMessage;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.webhook.WebhookSecret;

/** Alerts by configuration alone, without a control center. */
class AlertSettingsTest {
    private final Map<String, List<String>> bodies = new ConcurrentHashMap<>();
    private final List<URI> requests = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::receive);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** Says yes in the words of each service. */
    private void receive(HttpExchange exchange) throws IOException {
        requests.add(exchange.getRequestURI());
        bodies.computeIfAbsent(exchange.getRequestURI().getPath(), path -> new CopyOnWriteArrayList<>())
                .add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        byte[] answer = "{\"errcode\":0,\"code\":0}".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private static ApplicationContextRunner shop(String... settings) {
        return app(Mailer.class)
                .withPropertyValues(
                        "spring.application.name=shop",
                        "outbox.failure-alerts.enabled=false",
                        "outbox.alerts.allow-http=true",
                        "outbox.alerts.allowed-addresses=127.0.0.0/8")
                .withPropertyValues(settings);
    }

    private static void die(ApplicationContext context) {
        inTransaction(context, () -> context.getBean(OutboxWriter.class).write("nobody.handles.it", "{}"));
        await().until(() -> context.getBean(JdbcTemplate.class)
                        .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 3", Integer.class)
                > 0);
    }

    @Test
    void dingTalkIsNotifiedOfDeadEventsAndOfTheirEnd() {
        shop(
                        "outbox.alerts.dingtalk.webhook=" + url("/robot/send?access_token=token"),
                        "outbox.alerts.dingtalk.secret=SECabc",
                        "outbox.alerts.dingtalk.at-mobiles=13800000000,13900000000",
                        "outbox.alerts.dingtalk.at-all=true")
                .run(context -> {
                    OutboxRelay relay = context.getBean(OutboxRelay.class);
                    die(context);
                    relay.warnFailedOnce();
                    relay.warnFailedOnce();
                    context.getBean(JdbcTemplate.class).update("DELETE FROM outbox_event");
                    relay.warnFailedOnce();
                    relay.warnFailedOnce();
                });
        assertThat(requests)
                .hasSize(2)
                .allSatisfy(uri -> assertThat(uri.getQuery())
                        .startsWith("access_token=token&timestamp=")
                        .contains("&sign="));
        assertThat(bodies.get("/robot/send").get(0))
                .contains("[shop] 1 dead event(s) wait for a person")
                .contains("nobody.handles.it")
                .contains("@13800000000")
                .contains("\"at\":{\"atMobiles\":[\"13800000000\",\"13900000000\"],\"isAtAll\":true}");
        assertThat(bodies.get("/robot/send").get(1))
                .contains("[shop] no dead events are left")
                .doesNotContain("@138");
    }

    @Test
    void everyOtherServiceIsNotifiedToo() {
        shop(
                        "outbox.alerts.application=web shop",
                        "outbox.alerts.feishu.webhook=" + url("/feishu"),
                        "outbox.alerts.feishu.secret=feishu-secret",
                        "outbox.alerts.wecom.webhook=" + url("/wecom"),
                        "outbox.alerts.wecom.at-mobiles=13800000000",
                        "outbox.alerts.slack.webhook=" + url("/slack"),
                        "outbox.alerts.webhook.url=" + url("/any"),
                        "outbox.alerts.webhook.secret="
                                + WebhookSecret.generate().reveal())
                .run(context -> {
                    die(context);
                    context.getBean(OutboxRelay.class).warnFailedOnce();
                });
        assertThat(bodies.keySet()).containsExactlyInAnyOrder("/feishu", "/wecom", "/slack", "/any");
        assertThat(bodies.values())
                .allSatisfy(received ->
                        assertThat(received).singleElement().asString().contains("[web shop] 1 dead event(s)"));
        assertThat(bodies.get("/feishu").get(0)).contains("\"sign\"");
        assertThat(bodies.get("/wecom").get(0)).contains("\"mentioned_mobile_list\":[\"13800000000\"]");
    }

    @Test
    void everyAlertChannelBeanIsUsedEvenIfAnotherFails() {
        List<AlertMessage> pager = new CopyOnWriteArrayList<>();
        List<AlertMessage> board = new CopyOnWriteArrayList<>();
        app(Mailer.class)
                .withPropertyValues("outbox.failure-alerts.enabled=false")
                .withBean("broken", AlertChannel.class, () -> message -> {
                    throw new IOException("the broken one");
                })
                .withBean("pager", AlertChannel.class, () -> pager::add)
                .withBean("board", AlertChannel.class, () -> board::add)
                .run(context -> {
                    OutboxRelay relay = context.getBean(OutboxRelay.class);
                    die(context);
                    assertThatThrownBy(relay::warnFailedOnce).hasMessageContaining("the broken one");
                    assertThatThrownBy(relay::warnFailedOnce).hasMessageContaining("the broken one");
                });
        assertThat(pager).hasSize(1);
        assertThat(board).hasSize(1);
    }

    @Test
    void alertsCanBeSwitchedOff() {
        List<AlertMessage> sent = new CopyOnWriteArrayList<>();
        shop("outbox.alerts.enabled=false")
                .withBean(AlertChannel.class, () -> sent::add)
                .run(context -> {
                    die(context);
                    context.getBean(OutboxRelay.class).warnFailedOnce();
                });
        assertThat(sent).isEmpty();
    }

    @Test
    void oneOfTwoNodesSendsWithoutAnythingButTheChannel() {
        String database = "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        List<AlertMessage> sent = new CopyOnWriteArrayList<>();
        ApplicationContextRunner node = app(Mailer.class)
                .withPropertyValues(database, "outbox.failure-alerts.interval=20ms")
                .withBean(AlertChannel.class, () -> sent::add);
        node.run(first -> node.run(second -> {
            die(first);
            JdbcTemplate jdbc = first.getBean(JdbcTemplate.class);
            await().until(() -> !sent.isEmpty());
            long beat = beat(jdbc);
            await().until(() -> beat(jdbc) > beat + 10);
            assertThat(sent).hasSize(1);
        }));
    }

    private static long beat(JdbcTemplate jdbc) {
        Long beat = jdbc.queryForObject("SELECT MAX(beat) FROM outbox_lease", Long.class);
        return beat == null ? 0 : beat;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "outbox.alerts.reminder=1h | but no channel, so no alert would be sent",
                "outbox.alerts.dingtalk.secret=x | outbox.alerts.dingtalk.webhook is not",
                "outbox.alerts.dingtalk.at-mobiles=13800000000 | outbox.alerts.dingtalk.webhook is not",
                "outbox.alerts.wecom.at-all=true | outbox.alerts.wecom.webhook is not",
                "outbox.alerts.webhook.url=https://ops.example.com/ | outbox.alerts.webhook.secret is not",
                "outbox.alerts.mail.from=a@example.com | outbox.alerts.mail.to is not",
                "outbox.alerts.mail.to=a@example.com | there is no mail server for alerts",
                "outbox.alerts.slack.webhook=https://127.0.0.1/topsecret | outbox.alerts.slack: webhooks are not allowed",
                "outbox.alerts.slack.webhook=https://a b/topsecret | outbox.alerts.slack: this is not a URL",
                "outbox.alerts.slak.webhook=https://hooks.example.com/ | no such properties",
            })
    void whatLeadsNowhereFailsTheStart(String setting, String reason) {
        app(Mailer.class)
                .withPropertyValues(setting)
                .run(context -> assertThat(failureOf(context))
                        .hasMessageContaining(reason)
                        .hasMessageNotContaining("topsecret"));
    }

    @Test
    void numbersAndTimesAreChecked() {
        shop("outbox.alerts.dingtalk.webhook=" + url("/robot"), "outbox.alerts.dingtalk.at-mobiles=ops")
                .run(context -> assertThat(failureOf(context))
                        .hasMessageContaining("outbox.alerts.dingtalk: not a mobile number: 'ops'"));
        shop("outbox.alerts.dingtalk.webhook=" + url("/robot"), "outbox.alerts.reminder=0s")
                .run(context -> assertThat(failureOf(context)).hasMessageContaining("outbox.alerts.reminder"));
    }
}
