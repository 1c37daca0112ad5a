package outbox.poller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.logging.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.CountingMetrics;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.RecordedLogs;
import outbox.dispatch.DispatcherPollerHandler;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.model.Lease;
import outbox.model.OutboxEvent;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ClaimRequest;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.OutboxStore;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryRow;
import outbox.testing.InMemoryTxContext;
import outbox.testing.ManualClock;
import outbox.util.Ticks;

/** The poller with a handler of the user's own, poll by poll. */
class OutboxPollerTest {
    private final ManualClock clock = new ManualClock();
    private final InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
    private final InMemoryTxContext tx = store.txContext();
    private final List<String> handled = new ArrayList<>();
    private final AtomicInteger connectionsTaken = new AtomicInteger();
    private final ConnectionProvider connections = () -> {
        connectionsTaken.incrementAndGet();
        return store.connectionProvider().getConnection();
    };
    private List<String> written = List.of();

    @BeforeEach
    void writeTen() {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            events.add(EventEnvelope.builder("E")
                    .occurredAt(clock.instant().plusMillis(i))
                    .payloadJson("{}")
                    .build());
        }
        tx.inTransaction(() -> written = new OutboxWriter(tx, store).writeAll(events));
        clock.advance(Duration.ofSeconds(1));
    }

    private OutboxPoller.Builder poller(OutboxPollerHandler handler) {
        return OutboxPoller.builder()
                .connectionProvider(connections)
                .outboxStore(store)
                .handler(handler)
                .clock(clock);
    }

    private boolean take(EventEnvelope event, int attempts) {
        handled.add(event.eventId());
        return true;
    }

    @Test
    void everyDueEventIsHandedOverOldestFirst() {
        poller(this::take).build().poll();
        assertThat(handled).isEqualTo(written);
    }

    @Test
    void aHandlerThatRefusesEndsTheRound() {
        poller((event, attempts) -> take(event, attempts) && handled.size() < 4)
                .build()
                .poll();
        assertThat(handled).isEqualTo(written.subList(0, 4));
        assertThat(store.count(EventStatus.NEW)).isEqualTo(10);
    }

    @Test
    void rowsThatStayInHandAreNotReadAgainAndAgain() {
        try (OutboxPoller poller = poller(this::take)
                .batchSize(10)
                .intervalMs(TimeUnit.HOURS.toMillis(1))
                .build()) {
            poller.start();
            await().atMost(Duration.ofMinutes(1)).until(() -> connectionsTaken.get() >= 2);
            await().atMost(Duration.ofMinutes(1))
                    .during(Duration.ofMillis(300))
                    .until(() -> connectionsTaken.get() < 20);
        }
    }

    @Test
    void claimedRowsThatAreRefusedAreNotClaimedAgainAndAgain() {
        AtomicInteger refusals = new AtomicInteger();
        try (OutboxPoller poller = poller((event, attempts) -> refusals.incrementAndGet() < 0)
                .claimLocking(Duration.ofMinutes(1))
                .batchSize(10)
                .intervalMs(TimeUnit.HOURS.toMillis(1))
                .build()) {
            poller.start();
            await().atMost(Duration.ofMinutes(1)).until(() -> refusals.get() >= 1);
            await().atMost(Duration.ofMinutes(1)).during(Duration.ofMillis(300)).until(() -> refusals.get() < 20);
        }
    }

    @Test
    void rowsClaimedFromAStoreThatKnowsNoLeasesAreDeliveredAndMarked() {
        OutboxStore plain = (OutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, args) -> {
                    try {
                        return method.invoke(store, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        try (OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .outboxStore(plain)
                .connectionProvider(connections)
                .listenerRegistry(new DefaultListenerRegistry().register("E", event -> {}))
                .build()) {
            poller(new DispatcherPollerHandler(dispatcher))
                    .outboxStore(plain)
                    .claimLocking("poller-1", Duration.ofMinutes(1))
                    .build()
                    .poll();
            await().atMost(Duration.ofMinutes(1)).until(() -> store.count(EventStatus.DONE) == 10);
        }
    }

    @Test
    void aLeaseIsAsOldAsItsClaimNotAsTheWaitForAConnection() {
        List<Lease> leases = new ArrayList<>();
        LeasedPollerHandler handler = new LeasedPollerHandler() {
            @Override
            public int handle(List<ClaimedEvent> events) {
                events.forEach(event -> leases.add(event.lease()));
                return events.size();
            }

            @Override
            public boolean handle(EventEnvelope event, int attempts) {
                throw new AssertionError("rows are claimed");
            }

            @Override
            public String leaseOwner() {
                return "node/1";
            }

            @Override
            public void attached(Consumer<Duration> wakeUp, Duration leaseTime) {}

            @Override
            public Duration leaseTime() {
                return Duration.ofMinutes(1);
            }
        };
        long before = Ticks.of(clock).getAsLong();
        poller(handler)
                .connectionProvider(() -> {
                    clock.advance(Duration.ofSeconds(20));
                    return store.connectionProvider().getConnection();
                })
                .claimLocking(Duration.ofMinutes(1))
                .build()
                .poll();

        assertThat(leases)
                .hasSize(10)
                .allMatch(lease ->
                        lease.takenAtNanos() - before >= Duration.ofSeconds(20).toNanos());
    }

    /** By the database's clock their leases have just begun; by the node's they are nearly over. */
    @Test
    void rowsOfAClaimThatIsAnsweredLateAreReleasedAtOnceAndTheNextOneIsSmaller() {
        List<Integer> limits = new ArrayList<>();
        LeasingOutboxStore frozen = (LeasingOutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LeasingOutboxStore.class}, (proxy, method, args) -> {
                    try {
                        if (method.getName().equals("claim")) {
                            limits.add(((ClaimRequest) args[1]).limit());
                            clock.advance(Duration.ofSeconds(40));
                        }
                        return method.invoke(store, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        OutboxPoller slow = poller(this::take)
                .outboxStore(frozen)
                .batchSize(8)
                .claimLocking(Duration.ofMinutes(1))
                .build();
        slow.poll();
        slow.poll();
        assertThat(handled).isEmpty();
        assertThat(limits).containsExactly(8, 4);

        poller(this::take).claimLocking(Duration.ofMinutes(1)).build().poll();
        assertThat(handled).hasSize(10);
    }

    @Test
    void aHandlerWithoutRoomIsNotPolledFor() {
        poller(new WithRoom(0)).build().poll();
        assertThat(handled).isEmpty();
        assertThat(connectionsTaken).hasValue(0);
    }

    @Test
    void noMoreIsReadThanThereIsRoomFor() {
        poller(new WithRoom(3)).build().poll();
        assertThat(handled).isEqualTo(written.subList(0, 3));
    }

    private final class WithRoom implements OutboxPollerHandler {
        private final int room;

        WithRoom(int room) {
            this.room = room;
        }

        @Override
        public boolean handle(EventEnvelope event, int attempts) {
            return take(event, attempts);
        }

        @Override
        public int availableCapacity() {
            return room;
        }
    }

    @Test
    void noMoreIsReadThanABatch() {
        poller(this::take).batchSize(4).build().poll();
        assertThat(handled).isEqualTo(written.subList(0, 4));
    }

    @Test
    void whatIsRecentIsLeftOut() {
        OutboxPoller poller =
                poller(this::take).skipRecent(Duration.ofSeconds(5)).build();
        poller.poll();
        assertThat(handled).isEmpty();
        clock.advance(Duration.ofSeconds(5));
        poller.poll();
        assertThat(handled).isEqualTo(written);
    }

    @Test
    void orderAndSkipRecentAreRefusedTogether() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> poller(this::take)
                        .claimLocking(Duration.ofSeconds(30))
                        .ordered(true)
                        .skipRecent(Duration.ofSeconds(5))
                        .build())
                .withMessageContaining("skipRecent(PT5S)");
    }

    @Test
    void aRowThatCanNotBeDecodedIsDeadAndLoggedAsSevere() {
        InMemoryRow sample = store.row(written.get(0));
        OutboxEvent broken = new OutboxEvent(
                "broken",
                "E",
                "__GLOBAL__",
                null,
                null,
                "{}",
                "not json",
                0,
                sample.event().createdAt());
        store.put(new InMemoryRow(broken, EventStatus.NEW, sample.availableAt(), null, null, null, null));
        try (RecordedLogs logs = new RecordedLogs()) {
            poller(this::take).build().poll();
            assertThat(logs.of(OutboxPoller.class, Level.SEVERE))
                    .singleElement()
                    .asString()
                    .contains("broken");
        }
        assertThat(store.row("broken").status()).isEqualTo(EventStatus.DEAD);
        assertThat(handled).containsExactlyInAnyOrderElementsOf(written);
    }

    @Test
    void aPollThatFailsIsLoggedAsSevereAndTheNextOneWorks() {
        AtomicBoolean away = new AtomicBoolean(true);
        OutboxPoller poller = poller(this::take)
                .connectionProvider(() -> {
                    if (away.get()) {
                        throw new SQLException("connection refused");
                    }
                    return connections.getConnection();
                })
                .build();
        try (RecordedLogs logs = new RecordedLogs()) {
            poller.poll();
            assertThat(logs.of(OutboxPoller.class, Level.SEVERE)).hasSize(1);
        }
        away.set(false);
        poller.poll();
        assertThat(handled).isEqualTo(written);
    }

    @Test
    void claimLockingTakesRowsByTheStoresClaimWhereItKnowsNoLeases() {
        List<Object[]> claims = new ArrayList<>();
        OutboxStore plain = (OutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("claimPending")) {
                        claims.add(args);
                    }
                    try {
                        return method.invoke(store, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        OutboxPoller poller = poller(this::take)
                .outboxStore(plain)
                .claimLocking("poller-1", Duration.ofMinutes(5))
                .build();
        poller.poll();
        poller.poll();

        assertThat(handled).isEqualTo(written);
        assertThat(claims).hasSize(2);
        Instant now = clock.instant();
        assertThat(claims.get(0)[1]).asString().startsWith("poller-1/");
        assertThat(claims.get(0)[2]).isEqualTo(now);
        assertThat(claims.get(0)[3]).isEqualTo(now.minus(Duration.ofMinutes(5)));
        assertThat(store.rows())
                .allMatch(row -> row.lockedBy() != null && row.lockedBy().startsWith("poller-1/"));
    }

    @Test
    void theAgeOfTheOldestRowIsToldAndNoneWhenThereIsNone() {
        CountingMetrics metrics = new CountingMetrics();
        OutboxPoller poller = poller(this::take).metrics(metrics).build();
        clock.advance(Duration.ofMinutes(1));
        poller.poll();
        assertThat(metrics.oldestLagMs).hasValue(61_000);
        tx.inTransaction(() -> written.forEach(id -> store.markDone(tx.currentConnection(), id)));
        poller.poll();
        assertThat(metrics.oldestLagMs).hasValue(0);
    }

    @Test
    void aHandlerMayCloseThePoller() throws Exception {
        AtomicReference<OutboxPoller> own = new AtomicReference<>();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        own.set(poller((event, attempts) -> {
                    own.get().close();
                    return interrupted.complete(Thread.currentThread().isInterrupted());
                })
                .build());
        own.get().start();
        assertThat(interrupted.get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(own.get().isRunning()).isFalse();
    }

    @Test
    void anEventIsHandedOverAsItWasWritten() {
        EventEnvelope written = EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("42")
                .tenantId("tenant-1")
                .occurredAt(clock.instant().minusSeconds(60))
                .headers(Map.of("trace", "abc"))
                .payloadBytes(new byte[] {1, 2, 3})
                .build();
        tx.inTransaction(() -> new OutboxWriter(tx, store).write(written));
        List<EventEnvelope> read = new ArrayList<>();
        poller((event, attempts) -> read.add(event)).build().poll();
        assertThat(read.get(0)).usingRecursiveComparison().isEqualTo(written);
    }
}
