package outbox.control.server.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicBoolean;

/** What happens in a shop and what its operators do, so that pages have something to show. */
final class ShopDay implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(250);

    private static final AtomicBoolean TOLD = new AtomicBoolean();

    private final RunningCenter center;
    private final String token;
    private final HttpServer onCall;

    ShopDay(RunningCenter center) throws IOException, SQLException {
        this.center = center;
        this.token = center.token("release-pipeline");
        this.onCall = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        onCall.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        onCall.start();
    }

    /** Events come in waves and are delivered, for this long. */
    void trade(Duration duration) throws SQLException, InterruptedException {
        long ticks = duration.dividedBy(TICK);
        for (int tick = 0; tick < ticks; tick++) {
            int customers = (int) Math.round(4 + 3 * Math.sin(tick / 12.0));
            for (int i = 0; i < customers; i++) {
                center.rows().delivered("OrderPlaced", 2000 + 10 * tick + i);
            }
            center.rows().heartbeats(customers);
            Thread.sleep(TICK.toMillis());
        }
    }

    /** Somebody is told of dead events and of nodes that are gone. */
    void tellTheOneOnCall() throws IOException, InterruptedException {
        if (!TOLD.compareAndSet(false, true)) {
            return; // the rules of another test are there
        }
        String channel = post("/alerts/channels", """
                {"name": "on-call", "kind": "webhook", "url": "http://127.0.0.1:%d/outbox", "secret": "%s"}""".formatted(
                onCall.getAddress().getPort(), "whsec_" + Base64.getEncoder().encodeToString(new byte[32])));
        String id = channel.replaceAll("(?s).*\"id\":\"([^\"]+)\".*", "$1");
        rule("dead events", "dead_count", 10, id);
        rule("a node is gone", "missing_heartbeat", 120, id);
        rule("nothing gets through", "oldest_age", 900, id);
    }

    private void rule(String name, String metric, int threshold, String channel)
            throws IOException, InterruptedException {
        post("/alerts/rules", """
                {"name": "%s", "application": "orders", "metric": "%s", "threshold": %d, "forSeconds": 0,
                 "reminderMinutes": 30, "channels": ["%s"], "enabled": true}""".formatted(name, metric, threshold, channel));
    }

    /** One operation that is over and one that takes its time. */
    void replay() throws IOException, InterruptedException, SQLException {
        for (int i = 0; i < 40; i++) {
            center.rows()
                    .dead(
                            ShopRows.order(i < 15 ? "ReceiptMailed" : "StockReserved", i)
                                    .build(),
                            "java.net.ConnectException: Connection refused");
        }
        operation("ReceiptMailed", "the mail server is back", 500);
        operation("StockReserved", "the warehouse is back; slowly, it has a lot to catch up with", 2);
    }

    private void operation(String type, String reason, int perSecond) throws IOException, InterruptedException {
        post("/apps/orders/operations", """
                {"action": "retry", "filter": {"state": "dead", "type": "%s"}, "reason": "%s", "perSecond": %d}""".formatted(type, reason, perSecond));
    }

    private String post(String path, String body) throws IOException, InterruptedException {
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(center.url("api/v1" + path)))
                                .header("Authorization", "Bearer " + token)
                                .header("Content-Type", "application/json")
                                .header("X-Outbox-Request", "1")
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
        return answer.body();
    }

    @Override
    public void close() {
        onCall.stop(0);
    }
}
