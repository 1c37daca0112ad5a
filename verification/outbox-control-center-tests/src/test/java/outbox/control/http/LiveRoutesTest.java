package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.testing.server.EmbeddedH2;

@Timeout(120)
class LiveRoutesTest {
    private static final int STREAMS_OF_A_USER = 10;
    private static final int MORE_THAN_THERE_ARE_PERMITS = 101;

    @TempDir
    private Path directory;

    @Test
    void oneUserLeavesStreamsForOthers() throws Exception {
        OutboxTable orders = OutboxTable.on(EmbeddedH2.shared());
        ControlCenter center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application())
                .sampleInterval(Duration.ofMillis(50)) // a closed page is noticed by the next sample
                .build();
        ControlCenterServlet servlet = new ControlCenterServlet(
                center,
                WebFixture.operators(Map.of(
                        "anna", Operator.everywhere("anna", Role.VIEWER, false),
                        "ben", Operator.everywhere("ben", Role.VIEWER, false))));
        try (WebFixture web = new WebFixture(servlet, directory)) {
            List<HttpResponse<InputStream>> open = new ArrayList<>();
            for (int i = 0; i < STREAMS_OF_A_USER; i++) {
                open.add(stream(web, "anna"));
                assertThat(open.get(i).statusCode()).isEqualTo(200);
            }
            HttpResponse<InputStream> oneMore = stream(web, "anna");
            assertThat(oneMore.statusCode()).isEqualTo(429);
            assertThat(new String(oneMore.body().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("you already have 10 live pages open");
            try (InputStream bens = stream(web, "ben").body()) {
                assertThat(bens.read()).isEqualTo('r');
            }
            open.get(0).body().close();
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                HttpResponse<InputStream> next = stream(web, "anna");
                open.add(next);
                return next.statusCode() == 200;
            });
            for (HttpResponse<InputStream> one : open) {
                one.body().close();
            }
        }
    }

    private static HttpResponse<InputStream> stream(WebFixture web, String who) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(web.uri("/api/v1/apps/orders/stream"))
                .header(WebFixture.WHO, who)
                .build();
        return web.client().send(request, HttpResponse.BodyHandlers.ofInputStream());
    }

    @Test
    void streamsThatCannotBeginTakeNoPermitsFromThoseThatCan() throws Exception {
        OutboxTable orders = OutboxTable.on(EmbeddedH2.shared());
        ControlCenter center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application())
                .build();
        ControlCenterServlet servlet = new ControlCenterServlet(
                center, WebFixture.operators(Map.of("anna", Operator.everywhere("anna", Role.VIEWER, false))));
        try (WebFixture web = new WebFixture(servlet, directory, false)) {
            for (int i = 0; i < MORE_THAN_THERE_ARE_PERMITS; i++) {
                HttpResponse<String> stream = web.send("GET", "/api/v1/apps/orders/stream", "anna", null);
                assertThat(stream.statusCode()).as("stream %s", i).isEqualTo(501);
                assertThat(stream.body()).contains("async-supported");
            }
        }
    }
}
