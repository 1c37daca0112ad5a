package outbox.benchmark.publisher;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.benchmark.Bench;
import outbox.benchmark.CpuClock;
import outbox.benchmark.Measurement;
import outbox.benchmark.NotAvailable;
import outbox.benchmark.Scale;
import outbox.benchmark.Scenario;
import outbox.rabbitmq.RabbitPublisher;
import outbox.testing.server.InstalledRabbitMq;

/** Persistent messages confirmed by a real RabbitMQ: its own client by hand, and this project's publisher. */
public final class RabbitMq implements Scenario {
    private static final String EXCHANGE = "outbox";
    private static final String QUEUE = "orders";
    private static final String ROUTING_KEY = Events.AGGREGATE_TYPE + "." + Events.EVENT_TYPE;
    private static final int PERSISTENT = 2;

    private final boolean raw;
    private @Nullable Connection connection;
    private @Nullable Channel channel;
    private @Nullable RabbitPublisher publisher;

    private RabbitMq(boolean raw) {
        this.raw = raw;
    }

    public static RabbitMq raw() {
        return new RabbitMq(true);
    }

    public static RabbitMq publisher() {
        return new RabbitMq(false);
    }

    @Override
    public String id() {
        return raw ? "raw-rabbitmq" : "publisher-rabbitmq";
    }

    @Override
    public String title() {
        return raw
                ? "RabbitMQ's client by hand: confirms, mandatory, persistent, the same messages"
                : "this project's RabbitMQ publisher: events to confirmed messages";
    }

    @Override
    public void setUp(Bench bench) throws Exception {
        if (!InstalledRabbitMq.isInstalled()) {
            throw new NotAvailable("RabbitMQ is not installed here; " + InstalledRabbitMq.INSTALL);
        }
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(InstalledRabbitMq.shared());
        connection = factory.newConnection();
        channel = connection.createChannel();
        channel.exchangeDeclare(EXCHANGE, "topic", true);
        channel.queueDeclare(QUEUE, true, false, false, Map.of());
        channel.queueBind(QUEUE, EXCHANGE, "#");
        if (raw) {
            channel.confirmSelect();
        } else {
            publisher = RabbitPublisher.builder(factory).build();
        }
    }

    @Override
    public List<Measurement> round(Scale scale) throws Exception {
        Channel own = Objects.requireNonNull(channel);
        own.queuePurge(QUEUE);
        int count = scale.hotEvents();
        List<EventEnvelope> events = Events.make(count);
        CpuClock cpu = CpuClock.start();
        Duration took = InFlight.run(
                count,
                RabbitPublisher.DEFAULT_CONCURRENCY,
                raw ? byHand(own, events) : Events.through(Objects.requireNonNull(publisher), events));
        return List.of(Measurement.rate(count, took), cpu.per1000(count));
    }

    private static InFlight.Send byHand(Channel channel, List<EventEnvelope> events) {
        ConcurrentNavigableMap<Long, InFlight.Answer> unconfirmed = new ConcurrentSkipListMap<>();
        channel.clearConfirmListeners();
        channel.addConfirmListener(
                (number, multiple) -> confirmed(unconfirmed, number, multiple, null),
                (number, multiple) -> confirmed(unconfirmed, number, multiple, new IOException("not confirmed")));
        return (number, answer) -> {
            EventEnvelope event = events.get(number);
            unconfirmed.put(channel.getNextPublishSeqNo(), answer);
            channel.basicPublish(
                    EXCHANGE,
                    ROUTING_KEY,
                    true,
                    properties(event),
                    Objects.requireNonNull(event.payloadJson()).getBytes(StandardCharsets.UTF_8));
        };
    }

    private static BasicProperties properties(EventEnvelope event) {
        return new BasicProperties.Builder()
                .messageId(event.eventId())
                .type(event.eventType())
                .timestamp(Date.from(event.occurredAt()))
                .contentType("application/json")
                .contentEncoding("UTF-8")
                .deliveryMode(PERSISTENT)
                .headers(Map.of(
                        "aggregateType",
                        event.aggregateType(),
                        "aggregateId",
                        Objects.requireNonNull(event.aggregateId())))
                .build();
    }

    private static void confirmed(
            ConcurrentNavigableMap<Long, InFlight.Answer> unconfirmed,
            long number,
            boolean multiple,
            @Nullable IOException failure) {
        if (!multiple) {
            Objects.requireNonNull(unconfirmed.remove(number)).came(failure);
            return;
        }
        ConcurrentNavigableMap<Long, InFlight.Answer> upTo = unconfirmed.headMap(number, true);
        upTo.values().forEach(answer -> answer.came(failure));
        upTo.clear();
    }

    @Override
    public void close() {
        if (publisher != null) {
            publisher.close();
        }
        try {
            if (channel != null) {
                channel.close();
            }
            if (connection != null) {
                connection.close();
            }
        } catch (IOException | TimeoutException e) {
            throw new IllegalStateException("the connection to RabbitMQ did not close", e);
        }
    }
}
