package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.model.EventStatus;
import outbox.testing.InMemoryRow;

/** Order per aggregate: through failures, over nodes, and what an operator can do about a blocked one. */
@Timeout(120)
class OrderedDeliveryTest extends EngineFixture {
    private final Map<String, List<Integer>> seen = new ConcurrentHashMap<>();
    private final Set<String> broken = ConcurrentHashMap.newKeySet();

    private OutboxBuilder ordered(OutboxBuilder builder) {
        return builder.ordered().maxAttempts(2);
    }

    private String event(Outbox outbox, String key, int number) {
        return write(
                outbox,
                EventEnvelope.builder("E")
                        .aggregateType("Order")
                        .aggregateId(key)
                        .payloadJson(String.valueOf(number))
                        .build());
    }

    private void register() {
        registry.register("Order", "E", event -> {
            if (broken.contains(event.aggregateId() + event.payloadJson())) {
                throw new IllegalStateException("broken");
            }
            seen.computeIfAbsent(event.aggregateId(), key -> new CopyOnWriteArrayList<>())
                    .add(Integer.valueOf(event.payloadJson()));
        });
    }

    @Test
    void aDeadHeadBlocksItsKeyOnlyUntilItIsReplayed() {
        register();
        broken.add("a1");
        Outbox outbox = outbox(this::ordered);
        String head = event(outbox, "a", 1);
        event(outbox, "a", 2);
        event(outbox, "b", 1);
        event(outbox, "b", 2);

        awaitStatus(head, EventStatus.DEAD);
        await().until(() -> seen.containsKey("b") && seen.get("b").size() == 2);
        event(outbox, "a", 3);
        event(outbox, "b", 3);
        await().until(() -> seen.get("b").size() == 3);
        assertThat(seen).doesNotContainKey("a");

        broken.clear();
        assertThat(outbox.deadEvents().replay(head)).isTrue();
        awaitAll(6, EventStatus.DONE);
        assertThat(seen.get("a")).containsExactly(1, 2, 3);
    }

    @Test
    void aBlockedKeyGoesOnWhenItsHeadIsSkipped() {
        register();
        broken.add("a1");
        Outbox outbox = outbox(this::ordered);
        String head = event(outbox, "a", 1);
        event(outbox, "a", 2);
        awaitStatus(head, EventStatus.DEAD);

        assertThat(outbox.deadEvents().skip(head)).isTrue();
        awaitAll(2, EventStatus.DONE);
        assertThat(seen.get("a")).containsExactly(2);
        assertThat(outbox.deadEvents().skip(head)).isFalse();
    }

    @Test
    void aBlockedKeyGoesOnWhenItsHeadIsParkedAndTheHeadCanComeLater() {
        register();
        broken.add("a1");
        Outbox outbox = outbox(this::ordered);
        String head = event(outbox, "a", 1);
        event(outbox, "a", 2);
        awaitStatus(head, EventStatus.DEAD);

        assertThat(outbox.deadEvents().park(head)).isTrue();
        awaitAll(1, EventStatus.DONE);
        assertThat(outbox.deadEvents().count(null)).isEqualTo(1);
        broken.clear();
        assertThat(outbox.deadEvents().replay(head)).isTrue();
        awaitAll(2, EventStatus.DONE);
        assertThat(seen.get("a")).containsExactly(2, 1);
    }

    @Test
    void aHeadThatWaitsForItsRetryHoldsItsFollowersBackWithoutCostingThemAttempts() {
        register();
        broken.add("a1");
        Outbox outbox = outbox(b -> b.ordered().maxAttempts(10).retryPolicy(attempts -> 100));
        event(outbox, "a", 1);
        String follower = event(outbox, "a", 2);
        await().until(() -> metrics.failure.get() >= 3);
        broken.clear();
        awaitAll(2, EventStatus.DONE);
        assertThat(seen.get("a")).containsExactly(1, 2);
        InMemoryRow row = store.row(follower);
        assertThat(row.event().attempts()).isZero();
    }

    @Test
    void aQueueOfOnePlaceIsRefilledAtOnce() {
        registry.register("Order", "E", noting());
        Outbox outbox = outbox(b -> b.ordered().coldQueueCapacity(1).pollInterval(Duration.ofHours(1)));
        for (int i = 0; i < 5; i++) {
            write(
                    outbox,
                    EventEnvelope.builder("E")
                            .aggregateType("Order")
                            .aggregateId("k" + i)
                            .payloadJson("{}")
                            .build());
        }
        awaitAll(5, EventStatus.DONE);
    }

    @Test
    void threeNodesWithRandomFailuresKeepTheOrderOfEveryKey() {
        Random random = new Random(42);
        Set<String> failedOnce = ConcurrentHashMap.newKeySet();
        registry.register("Order", "E", event -> {
            if (event.payloadJson().hashCode() % 7 == 0 && failedOnce.add(event.eventId())) {
                throw new IllegalStateException("once");
            }
            seen.computeIfAbsent(event.aggregateId(), key -> new CopyOnWriteArrayList<>())
                    .add(Integer.valueOf(event.payloadJson()));
        });
        List<Outbox> nodes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            nodes.add(outbox(b -> b.ordered().maxAttempts(20).pollInterval(Duration.ofMillis(5))));
        }
        int[] next = new int[20];
        for (int i = 0; i < 1500; i++) {
            int key = random.nextInt(20);
            event(nodes.get(random.nextInt(3)), "k" + key, next[key]++);
        }
        awaitAll(1500, EventStatus.DONE);
        seen.forEach((key, numbers) -> assertThat(numbers).as(key).isSorted().doesNotHaveDuplicates());
        assertThat(seen.values().stream().mapToInt(List::size).sum()).isEqualTo(1500);
    }
}
