package outbox.benchmark.publisher;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
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
    private @Nullable SlowReceiver receiver;
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

    /** Sends as many as it takes to have the HTTP client compiled: that is no cost of a request. */
    @Override
    public void setUp(Bench bench) throws Exception {
        receiver = new SlowReceiver(LATENCY);
        client = WebhookClient.builder()
                .allowHttp()
                .allowAddresses("127.0.0.1/32")
                .build();
        publisher = client.publisher(WebhookEndpoint.builder("receiver", receiver.url())
                .secrets(WebhookSecret.generate())
                .concurrency(concurrency)
                .build());
        send(bench.scale().hotEvents());
    }

    private Duration send(int count) throws Exception {
        List<EventEnvelope> events = Events.make(count);
        return InFlight.run(count, concurrency, Events.through(Objects.requireNonNull(publisher), events));
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        double ideal = concurrency / (LATENCY.toNanos() / 1e9);
        int count = (int) (ideal * SECONDS * scale.hotEvents() / Scale.full().hotEvents());
        count = Math.max(count, concurrency);
        CpuClock cpu = CpuClock.start();
        Duration took = send(count);
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
            receiver.close();
        }
    }
}
