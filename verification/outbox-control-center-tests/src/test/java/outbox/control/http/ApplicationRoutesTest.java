package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.control.OutboxTable.event;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.testing.server.EmbeddedH2;

/** All applications of a user, and the history of one. */
@Timeout(120)
class ApplicationRoutesTest {
    @TempDir
    private Path directory;

    private OutboxTable orders;
    private OutboxTable billing;
    private ControlCenter center;
    private WebFixture web;

    @BeforeEach
    void start() throws Exception {
        orders = OutboxTable.on(EmbeddedH2.shared());
        billing = OutboxTable.on(EmbeddedH2.shared(), "billing");
        OutboxTable own = OutboxTable.on(EmbeddedH2.shared(), "own");
        center = ControlCenter.builder(own.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application())
                .application(billing.application())
                .sampleInterval(Duration.ofMillis(50))
                .build();
        web = new WebFixture(
                new ControlCenterServlet(
                        center,
                        WebFixture.operators(Map.of(
                                "vera",
                                new Operator("vera", Map.of("orders", Role.VIEWER), false),
                                "root",
                                Operator.everywhere("root", Role.ADMIN, true)))),
                directory);
    }

    @AfterEach
    void stop() throws Exception {
        web.close();
    }

    private String get(String path, String who) throws Exception {
        HttpResponse<String> answer = web.send("GET", "/api/v1" + path, who, null);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void usersSeeALineForEachApplicationTheyMaySee() throws Exception {
        orders.dead(event("A", "1").build(), "away");
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(get("/apps", "vera")).contains("\"dead\":1"));
        assertThat(get("/apps", "vera")).contains("\"name\":\"orders\"").doesNotContain("billing");
        assertThat(get("/apps", "root")).contains("\"name\":\"orders\"", "\"name\":\"billing\"");
    }

    @Test
    void anApplicationWhoseTableIsGoneSaysSoAndTheOthersAreShown() throws Exception {
        billing.execute("DROP TABLE outbox_event");
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() ->
                        assertThat(get("/apps", "root")).contains("cannot read the outbox table", "\"problem\":null"));
    }

    @Test
    void aRangeIsOneOfThoseOffered() throws Exception {
        assertThat(get("/apps/orders/history?range=30d", "vera")).contains("\"points\":[]");
        HttpResponse<String> other = web.send("GET", "/api/v1/apps/orders/history?range=2y", "vera", null);
        assertThat(other.statusCode()).isEqualTo(400);
        assertThat(other.body()).contains("range must be one of 15m, 1h, 6h, 24h, 7d, 30d, not '2y'");
    }
}
