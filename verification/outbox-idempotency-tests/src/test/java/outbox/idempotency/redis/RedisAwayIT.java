package outbox.idempotency.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventHandlers;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.publish.TransactionalEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;
import outbox.model.EventStatus;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;
import outbox.testing.server.EmbeddedRedis;

class RedisAwayIT {
    private static final int EVENTS = 300;

    @EventName("order.placed")
    public record OrderPlaced(String eventId, Instant occurredAt) implements DomainEvent {
        OrderPlaced() {
            this(DomainEvent.newId(), Instant.now());
        }
    }

    private final Map<String, AtomicInteger> mails = new ConcurrentHashMap<>();
    private final Map<String, AtomicInteger> stocks = new ConcurrentHashMap<>();

    class Shop {
        @EventHandler(name = "mail", maxAttempts = 1)
        void mail(OrderPlaced event) {
            mails.computeIfAbsent(event.eventId(), id -> new AtomicInteger()).incrementAndGet();
        }

        @EventHandler(name = "stock", maxAttempts = 1)
        void stock(OrderPlaced event) {
            stocks.computeIfAbsent(event.eventId(), id -> new AtomicInteger()).incrementAndGet();
        }
    }

    @Test
    void whenRedisGoesAwayEventsWaitAndNoneIsLostOrDead() {
        InMemoryOutboxStore store = new InMemoryOutboxStore();
        InMemoryTxContext tx = store.txContext();
        PayloadSerializer serializer = PayloadSerializers.detect();
        try (EmbeddedRedis server = EmbeddedRedis.launch();
                OutboxRedis redis = OutboxRedis.connect(server.uri(), Duration.ofSeconds(10));
                EventHandlers handlers = EventHandlers.scan(new Shop())
                        .serializer(serializer)
                        .tracker(new RedisEventConsumptionTracker(redis.commands()))
                        .build();
                Outbox outbox = Outbox.multiNode()
                        .store(store)
                        .connections(store.connectionProvider())
                        .transactions(tx)
                        .listeners(handlers)
                        .pollInterval(Duration.ofMillis(100))
                        .build()
                        .start()) {
            EventEnvelopes envelopes = new EventEnvelopes(EventTypes.builder().build(), serializer);
            TransactionalEventPublisher here = new TransactionalEventPublisher(outbox.writer(), tx, envelopes);
            // Progress is read for what comes from the table; an event on its first delivery has none.
            TransactionalEventPublisher elsewhere =
                    new TransactionalEventPublisher(new OutboxWriter(tx, store), tx, envelopes);
            for (int i = 0; i < EVENTS; i++) {
                TransactionalEventPublisher publisher = i % 2 == 0 ? here : elsewhere;
                tx.inTransaction(() -> publisher.publish(new OrderPlaced()));
                if (i == EVENTS / 2) {
                    // So that not all of them are on their way.
                    await().atMost(Duration.ofSeconds(30))
                            .pollDelay(Duration.ZERO)
                            .pollInterval(Duration.ofMillis(1))
                            .until(() -> store.count(EventStatus.DONE) > EVENTS / 3);
                    server.kill();
                }
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> store.count(EventStatus.RETRY) > 0);
            assertThat(store.count(EventStatus.DEAD)).isZero();

            server.start();

            await().atMost(Duration.ofMinutes(1)).until(() -> store.count(EventStatus.DONE) == EVENTS);
        }
        assertThat(mails).hasSize(EVENTS);
        assertThat(stocks).hasSize(EVENTS);
        // At most those that were between their success and its mark when Redis went away.
        assertThat(mails.values().stream().filter(calls -> calls.get() > 1)).hasSizeLessThan(EVENTS / 4);
        assertThat(mails.values()).allSatisfy(calls -> assertThat(calls).hasValueLessThanOrEqualTo(2));
    }

    @Test
    void aServerThatIsAwayAtTheStartIsUsedWhenItIsThere() {
        try (EmbeddedRedis server = EmbeddedRedis.launch()) {
            server.kill();
            try (OutboxRedis redis = OutboxRedis.connect(server.uri(), Duration.ofSeconds(10))) {
                assertThatThrownBy(() -> redis.commands().get("outbox:nothing")).isInstanceOf(RedisException.class);

                server.start();

                await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() -> assertThat(redis.commands().set("outbox:something", "1"))
                                .isEqualTo("OK"));
            }
        }
    }
}
