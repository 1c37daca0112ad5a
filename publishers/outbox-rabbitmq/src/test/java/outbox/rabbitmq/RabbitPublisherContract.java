package outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.TraceHeaders;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;
import outbox.testing.DrillArrivals;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;
import outbox.testing.OutageDrill;

/** What the publisher promises, on a broker. Each test has an exchange and a queue of its own. */
abstract class RabbitPublisherContract {
    private static final String PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    private static final int EVENTS = Integer.getInteger("outbox.test.outage.events", 20_000);
    static final int PAUSE_SECONDS = Integer.getInteger("outbox.test.outage.seconds", 8);

    private Connection connection;
    Channel channel;
    private String exchange;
    private String queue;

    abstract AmqpBroker broker();

    /** For how long the broker stalls in the drill. */
    int pauseSeconds() {
        return PAUSE_SECONDS;
    }

    @BeforeEach
    void declare() throws Exception {
        connection = broker().factory().newConnection();
        channel = connection.createChannel();
        exchange = "exchange-" + System.nanoTime();
        queue = "queue-" + System.nanoTime();
        channel.exchangeDeclare(exchange, "topic", true);
        channel.queueDeclare(queue, true, false, false, Map.of());
        channel.queueBind(queue, exchange, "Order.#");
    }

    @AfterEach
    void disconnect() {
        connection.abort(1000);
    }

    final RabbitPublisherBuilder builder() {
        return RabbitPublisher.builder(broker().factory()).exchange(exchange);
    }

    static EventEnvelope.Builder event(String aggregateType) {
        return EventEnvelope.builder("order.placed")
                .aggregateType(aggregateType)
                .aggregateId("42")
                .tenantId("acme")
                .occurredAt(Instant.parse("2026-01-01T00:00:00Z"))
                .header("traceparent", PARENT)
                .header("tracestate", "a=b")
                .payloadJson("{\"name\":\"Bücher\"}");
    }

    private static CompletableFuture<?> send(RabbitPublisher publisher, EventEnvelope event) {
        return publisher.onEventAsync(event).toCompletableFuture();
    }

    static void sent(RabbitPublisher publisher, EventEnvelope event) throws Exception {
        send(publisher, event).get(30, TimeUnit.SECONDS);
    }

    private GetResponse received() throws IOException {
        GetResponse response = channel.basicGet(queue, true);
        assertThat(response).isNotNull();
        return response;
    }

    private static String text(byte[] body) {
        return new String(body, StandardCharsets.UTF_8);
    }

    @Test
    void aConsumerFindsTheEventInTheMessage() throws Exception {
        EventEnvelope event = event("Order").build();
        try (RabbitPublisher publisher = builder().build()) {
            sent(publisher, event);
        }
        GetResponse message = received();
        assertThat(message.getEnvelope().getExchange()).isEqualTo(exchange);
        assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("Order.order.placed");
        assertThat(text(message.getBody())).isEqualTo("{\"name\":\"Bücher\"}");
        assertThat(message.getProps().getMessageId()).isEqualTo(event.eventId());
        assertThat(message.getProps().getType()).isEqualTo("order.placed");
        assertThat(message.getProps().getContentType()).isEqualTo("application/json");
        assertThat(message.getProps().getDeliveryMode()).isEqualTo(2);
        assertThat(message.getProps().getTimestamp()).isEqualTo(Date.from(event.occurredAt()));
        Map<String, String> headers = Map.of(
                "traceparent", PARENT,
                "tracestate", "a=b",
                "aggregateType", "Order",
                "aggregateId", "42",
                "tenantId", "acme");
        headers.forEach((name, value) ->
                assertThat(message.getProps().getHeaders().get(name)).as(name).hasToString(value));
    }

    @Test
    void aConsumerContinuesTheWritersTrace() throws Exception {
        W3CTraceContextPropagator w3c = W3CTraceContextPropagator.getInstance();
        SpanContext writing = SpanContext.create(
                "4bf92f3577b34da6a3ce929d0e0e4736",
                "00f067aa0ba902b7",
                TraceFlags.getSampled(),
                TraceState.builder().put("vendor", "x").build());
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext transactions = store.txContext();
        try (RabbitPublisher publisher = builder().build();
                Outbox outbox = Outbox.singleNode()
                        .store(store)
                        .connections(store.connectionProvider())
                        .transactions(transactions)
                        .listeners((aggregateType, eventType) ->
                                publisher.controlled().build())
                        .writerHook(TraceHeaders.from(() -> {
                            Map<String, String> headers = new HashMap<>();
                            w3c.inject(Context.current(), headers, Map::put);
                            return headers;
                        }))
                        .build()
                        .start()) {
            try (Scope scope = Span.wrap(writing).makeCurrent()) {
                transactions.inTransaction(
                        () -> outbox.writer().write(event("Order").headers(null).build()));
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> store.count(EventStatus.DONE) == 1);
        }
        Map<String, Object> headers = received().getProps().getHeaders();
        SpanContext seen = Span.fromContext(w3c.extract(Context.root(), headers, new TextMapGetter<>() {
                    @Override
                    public String get(Map<String, Object> carrier, String key) {
                        Object value = carrier == null ? null : carrier.get(key);
                        return value == null ? null : value.toString();
                    }
                }))
                .getSpanContext();
        assertThat(seen.getTraceId()).isEqualTo(writing.getTraceId());
        assertThat(seen.getSpanId()).isEqualTo(writing.getSpanId());
        assertThat(seen.getTraceState()).isEqualTo(writing.getTraceState());
        assertThat(seen.isRemote()).isTrue();
    }

    @Test
    void exchangeAndRoutingKeyAreMadeFromTheEvent() throws Exception {
        try (RabbitPublisher publisher = RabbitPublisher.builder(broker().factory())
                .exchange(exchange)
                .routingKey("Order.{tenantId}.{aggregateId}")
                .build()) {
            sent(
                    publisher,
                    event("Anything")
                            .payloadJson(null)
                            .payloadBytes(new byte[] {1, 2})
                            .build());
        }
        GetResponse message = received();
        assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("Order.acme.42");
        assertThat(message.getProps().getContentType()).isEqualTo("application/octet-stream");
        assertThat(message.getBody()).containsExactly(1, 2);
    }

    @Test
    void aMessageNoQueueIsBoundForIsAFailureAndNotALoss() throws Exception {
        try (RabbitPublisher publisher = builder().build()) {
            CompletableFuture<?> unroutable = send(publisher, event("Invoice").build());
            CompletableFuture<?> routable = send(publisher, event("Order").build());
            assertThatThrownBy(() -> unroutable.get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(UndeliveredMessageException.class)
                    .hasMessageContaining("Invoice.order.placed");
            routable.get(30, TimeUnit.SECONDS);
            channel.queueBind(queue, exchange, "Invoice.#");
            sent(publisher, event("Invoice").build());
        }
        assertThat(received()).isNotNull();
        assertThat(received().getEnvelope().getRoutingKey()).isEqualTo("Invoice.order.placed");
    }

    @Test
    void anExchangeThatIsNotThereHarmsOnlyItsOwnEvents() throws Exception {
        refusedAlone("no-such-" + exchange, "NOT_FOUND|404");
    }

    /** Sends to the good exchange and to the bad one in turns. */
    final void refusedAlone(String badExchange, String reason) throws Exception {
        try (RabbitPublisher publisher = RabbitPublisher.builder(broker().factory())
                .exchange("{tenantId}")
                .routingKey("Order.x")
                .build()) {
            List<CompletableFuture<?>> good = new ArrayList<>();
            List<CompletableFuture<?>> bad = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                good.add(send(publisher, event("Order").tenantId(exchange).build()));
                bad.add(send(publisher, event("Order").tenantId(badExchange).build()));
            }
            for (CompletableFuture<?> each : good) {
                each.get(30, TimeUnit.SECONDS);
            }
            assertThat(bad)
                    .allSatisfy(each -> assertThatThrownBy(() -> each.get(30, TimeUnit.SECONDS))
                            .hasCauseInstanceOf(UndeliveredMessageException.class)
                            .hasMessageFindingMatch(reason));
        }
        assertThat(channel.messageCount(queue)).isEqualTo(20);
    }

    @Test
    void manyThreadsSendManyMessagesAtOnce() throws Exception {
        try (RabbitPublisher publisher = builder().build()) {
            List<CompletableFuture<?>> sent = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < 500; i++) {
                        CompletableFuture<?> one =
                                send(publisher, event("Order").build());
                        synchronized (sent) {
                            sent.add(one);
                        }
                    }
                });
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            for (CompletableFuture<?> each : sent) {
                each.get(30, TimeUnit.SECONDS);
            }
        }
        assertThat(channel.messageCount(queue)).isEqualTo(2000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 500})
    void closingWaitsForConfirmations(int count) throws Exception {
        List<CompletableFuture<?>> sent = new ArrayList<>();
        RabbitPublisher publisher = builder().build();
        for (int i = 0; i < count; i++) {
            sent.add(send(publisher, event("Order").build()));
        }
        publisher.close();
        assertThat(sent).allSatisfy(each -> assertThat(each).isCompleted());
        assertThatThrownBy(() -> sent(publisher, event("Order").build()))
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    void aBrokerThatDoesNotConfirmInTimeLosesTheConnectionAndGetsTheMessageAgain() throws Exception {
        try (RabbitPublisher publisher =
                builder().confirmTimeout(Duration.ofSeconds(1)).build()) {
            // On a busy machine the first one may take longer than a second.
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptions()
                    .untilAsserted(() -> sent(publisher, event("Order").build()));
            broker().pause();
            List<CompletableFuture<?>> stuck = new ArrayList<>();
            try {
                for (int i = 0; i < 50; i++) { // 50 MB: more than the sockets between us hold
                    stuck.add(send(
                            publisher,
                            event("Order")
                                    .payloadJson("\"" + "x".repeat(1_000_000) + "\"")
                                    .build()));
                }
                assertThatThrownBy(() -> stuck.get(0).get(30, TimeUnit.SECONDS)).hasCauseInstanceOf(IOException.class);
            } finally {
                broker().resume();
            }
            for (CompletableFuture<?> each : stuck) {
                await().atMost(Duration.ofSeconds(60)).until(each::isDone);
            }
            await().atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .untilAsserted(() -> sent(publisher, event("Order").build()));
        }
    }

    @Test
    void nothingIsLostOrOutOfOrderAndNoAttemptIsMadeWhileTheBreakerIsOpen() throws Exception {
        channel.queueBind(queue, exchange, OutageDrill.AGGREGATE_TYPE + ".#");
        try (RabbitPublisher publisher =
                builder().confirmTimeout(Duration.ofSeconds(3)).build()) {
            ControlledListener listener = publisher
                    .controlled()
                    .circuitBreaker(10, Duration.ofMillis(500))
                    .retryPolicy(attempts -> 200)
                    .maxAttempts(1000)
                    .build();
            OutageDrill.Report report = new OutageDrill(listener)
                    .events(EVENTS)
                    .keys(500)
                    .incident(() -> {
                        broker().pause();
                        Pause.seconds(pauseSeconds());
                        broker().resume();
                    })
                    .incident(broker()::restart)
                    .run(Duration.ofMinutes(8));
            DrillArrivals arrivals = new DrillArrivals();
            try (Connection again = broker().factory().newConnection();
                    Channel reading = again.createChannel()) {
                long waiting = reading.messageCount(queue);
                AtomicLong read = new AtomicLong();
                reading.basicConsume(
                        queue,
                        true,
                        (tag, delivery) -> {
                            arrivals.add(text(delivery.getBody()));
                            read.incrementAndGet();
                        },
                        tag -> {});
                await().atMost(Duration.ofMinutes(5)).until(() -> read.get() >= waiting);
            }
            assertThat(report.done()).as(report.toString()).isEqualTo(EVENTS);
            assertThat(arrivals.distinct()).isEqualTo(EVENTS);
            assertThat(arrivals.outOfOrder()).isEmpty();
            assertThat(report.openings()).isPositive();
            assertThat(report.leftAloneWhileOpen()).as(report.toString()).isTrue();
        }
    }
}
