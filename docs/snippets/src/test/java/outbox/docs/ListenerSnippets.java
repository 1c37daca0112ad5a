package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.docs.Patience.await;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import outbox.AsyncEventListener;
import outbox.BatchEventListener;
import outbox.BatchFailedException;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.Outbox;
import outbox.RetryAfterException;
import outbox.dispatch.EventInterceptor;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.listener.ControlledListener;
import outbox.listener.Rate;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

class ListenerSnippets {
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final InMemoryTxContext tx = store.txContext();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final EventListener mailer = event -> done.add("mail");

    @Test
    void controlled() {
        // snippet: controlled
        registry.register(
                "Order",
                "OrderPlaced",
                ControlledListener.of(mailer)
                        .name("mail") // in metrics and messages
                        .maxAttempts(5) // instead of the dispatcher's 10
                        .retryPolicy(new ExponentialBackoffRetryPolicy(1_000, 300_000))
                        .deadOn(IllegalArgumentException.class) // trying again is useless
                        .concurrency(2) // at most two deliveries at a time
                        .rateLimit(Rate.parse("100/s")) // on each node
                        .circuitBreaker(10, Duration.ofSeconds(30)) // after 10 failures in a row, pause
                        .timeLimit(Duration.ofMinutes(1)) // instead of the dispatcher's 10 minutes
                        .build());
        // end
        deliver("Order", "OrderPlaced");
        assertThat(done).containsExactly("mail");
    }

    private static final class Response {
        private boolean busy = true;

        boolean isBusy() {
            boolean was = busy;
            busy = false;
            return was;
        }

        Duration retryAfter() {
            return Duration.ofMillis(20);
        }
    }

    @Test
    void retryAfter() {
        Response response = new Response();
        // snippet: retry-after
        EventListener webhook = event -> {
            if (response.isBusy()) {
                throw new RetryAfterException(response.retryAfter(), "the server asked to come back later");
            }
        };
        // end
        registry.register("OrderPlaced", webhook);
        deliver("__GLOBAL__", "OrderPlaced");
    }

    @Test
    void async() {
        registry.register(
                "OrderPlaced", new Push((id, payload) -> CompletableFuture.runAsync(() -> done.add(payload))));
        deliver("__GLOBAL__", "OrderPlaced");
        assertThat(done).containsExactly("{}");
    }

    @Test
    void batch() {
        registry.register("OrderPlaced", new Indexer((events, failed) -> events.forEach(event -> done.add("indexed"))));
        deliver("__GLOBAL__", "OrderPlaced");
        assertThat(done).containsExactly("indexed");
    }

    @Test
    void interceptors() {
        registry.register("OrderPlaced", mailer);
        // snippet: interceptor
        EventInterceptor audit = EventInterceptor.after((event, error) -> {
            if (error != null) {
                System.getLogger("audit").log(System.Logger.Level.WARNING, event + " failed: " + error);
            }
        });
        // end
        try (Outbox outbox = Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .listeners(registry)
                .interceptor(audit)
                .build()
                .start()) {
            tx.inTransaction(() -> outbox.writer().write("OrderPlaced", "{}"));
            await().untilAsserted(() -> assertThat(done).hasSize(1));
        }
    }

    private void deliver(String aggregateType, String eventType) {
        try (Outbox outbox = Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .listeners(registry)
                .build()
                .start()) {
            tx.inTransaction(() -> outbox.writer()
                    .write(EventEnvelope.builder(eventType)
                            .aggregateType(aggregateType)
                            .payloadJson("{}")
                            .build()));
            await().untilAsserted(
                            () -> assertThat(store.count(EventStatus.DONE)).isEqualTo(1));
        }
    }
}

// snippet: async
final class Push implements AsyncEventListener {
    private final PushClient client;

    Push(PushClient client) {
        this.client = client;
    }

    @Override
    public CompletionStage<?> onEventAsync(EventEnvelope event) {
        return client.send(event.eventId(), event.payloadJson());
    }
}
// end

interface PushClient {
    CompletionStage<Void> send(String id, String payload);
}

// snippet: batch
final class Indexer implements BatchEventListener {
    private final SearchIndex index;

    Indexer(SearchIndex index) {
        this.index = index;
    }

    @Override
    public void onEvents(List<EventEnvelope> events) throws BatchFailedException {
        Map<String, Exception> failures = new HashMap<>();
        index.bulk(events, (event, failure) -> failures.put(event.eventId(), failure));
        if (!failures.isEmpty()) {
            throw new BatchFailedException(failures); // all others are done
        }
    }

    @Override
    public int maxBatchSize() {
        return 200;
    }
}
// end

interface SearchIndex {
    void bulk(List<EventEnvelope> events, Failed failed);
}

interface Failed {
    void accept(EventEnvelope event, Exception failure);
}
