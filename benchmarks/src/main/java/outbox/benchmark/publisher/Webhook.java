package outbox.benchmark.publisher;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.benchmark.Bench;
import outbox.benchmark.CpuClock;
import outbox.benchmark.Measurement;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.benchmark.Unit;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookPublisher;
import outbox.webhook.WebhookSecret;

/** Signed webhooks to a receiver that takes 20 ms for each; the bound is concurrency ÷ latency. */
public final class Webhook implements Scenario {
    private static final Duration LATENCY = Duration.ofMillis(20);
    /** Seconds a round takes if nothing is lost, at the full scale. */
    private static final int SECONDS = 4;

    private final int concurrency;
    private @Nullable HttpServer receiver;
    private @Nullable ExecutorService threads;
    private @Nullable WebhookClient client;
    private @Nullable WebhookPublisher publisher;

    public Webhook(int concurrency) {
        this.concurrency = concurrency;
    }

    @Override
    public String id() {
        return "publisher-webhook-" + concurrency;
    }

    @Override
    public String title() {
        return "this project's webhook publisher: " + concurrency + " requests in flight, the receiver takes 20 ms";
    }

    @Override
    public void setUp(Bench bench) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), concurrency);
        ExecutorService handlers = Executors.newFixedThreadPool(concurrency);
        server.setExecutor(handlers);
        server.createContext("/", Webhook::answer);
        server.start();
        receiver = server;
        threads = handlers;
        client = WebhookClient.builder()
                .allowHttp()
                .allowAddresses("127.0.0.1/32")
                .build();
        publisher = client.publisher(WebhookEndpoint.builder(
                        "receiver",
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/"))
                .secrets(WebhookSecret.generate())
                .concurrency(concurrency)
                .build());
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            long until = System.nanoTime() + LATENCY.toNanos();
            exchange.getRequestBody().readAllBytes();
            for (long left = LATENCY.toNanos(); left > 0; left = until - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            exchange.sendResponseHeaders(204, -1);
        }
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        double ideal = concurrency / (LATENCY.toNanos() / 1e9);
        int count = (int) (ideal * SECONDS * scale.hotEvents() / Scale.full().hotEvents());
        count = Math.max(count, concurrency);
        List<EventEnvelope> events = Events.make(count);
        CpuClock cpu = CpuClock.start();
        Duration took = InFlight.run(count, concurrency, Events.through(Objects.requireNonNull(publisher), events));
        return List.of(
                Measurement.rate(count, took),
                new Measurement("concurrency ÷ latency", Unit.EVENTS_PER_SECOND, ideal),
                cpu.per1000(count));
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        }
        if (receiver != null) {
            receiver.stop(0);
        }
        if (threads != null) {
            threads.shutdownNow();
        }
    }
}
