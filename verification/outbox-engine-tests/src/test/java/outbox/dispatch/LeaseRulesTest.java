package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EngineFixture;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.OutboxWriter;
import outbox.RecordedLogs;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ClaimRequest;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.UnitOfWork;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;
import outbox.testing.ManualClock;

/** Who may deliver and who may write the outcome: leases, fences, renewal, and a database that fails. */
@Timeout(120)
class LeaseRulesTest extends EngineFixture {
    /** What another node does to rows it takes; should the first one claim them in between, it does it again. */
    private void steal(String eventId, String thief) {
        await().until(() -> {
            UnitOfWork.run(store.connectionProvider(), conn -> store.expireOthers(conn, thief));
            UnitOfWork.run(
                    store.connectionProvider(),
                    conn -> store.claim(conn, new ClaimRequest(thief, Duration.ofHours(1), Duration.ZERO, 1000)));
            return thief.equals(store.row(eventId).lockedBy());
        });
    }

    @Test
    void theOutcomeOfAStaleOwnerIsNotAcceptedAndIsCounted() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> {
            running.countDown();
            go.await();
        });
        String id = write(outbox(b -> b), "E");
        running.await();
        steal(id, "thief/1");
        go.countDown();

        await().until(() -> metrics.leasesLost.get() == 1);
        assertThat(store.row(id).status()).isEqualTo(EventStatus.NEW);
        assertThat(store.row(id).lockedBy()).isEqualTo("thief/1");
        assertThat(metrics.success).hasValue(0);
    }

    @Test
    void leasesAreRenewedWhileAListenerRunsSoNoOtherNodeTakesTheEvent() {
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> {
            delivered.add(event.eventId());
            go.await();
        });
        Duration lease = Duration.ofMillis(900);
        ManualClock clock = new ManualClock();
        InMemoryOutboxStore table = new InMemoryOutboxStore(clock);
        InMemoryTxContext transactions = table.txContext();
        // However late renewals come on a busy machine: two thirds of a lease pass in the database between them.
        LeasingOutboxStore aging =
                afterRenewals(table, () -> clock.advance(lease.multipliedBy(2).dividedBy(3)));
        UnaryOperator<OutboxBuilder> settings = builder -> builder.store(aging)
                .connections(table.connectionProvider())
                .transactions(transactions)
                .leaseTime(lease);
        Outbox first = outbox(settings);
        outbox(settings);
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        transactions.inTransaction(() -> first.writer().write(event));

        await().until(() -> metrics.leasesRenewed.get() >= 4); // more than two leases long
        go.countDown();
        await().until(() -> table.count(EventStatus.DONE) == 1);
        assertThat(delivered).containsExactly(event.eventId());
        assertThat(metrics.leasesLost).hasValue(0);
    }

    private static LeasingOutboxStore afterRenewals(LeasingOutboxStore store, Runnable then) {
        return (LeasingOutboxStore) Proxy.newProxyInstance(
                LeaseRulesTest.class.getClassLoader(),
                new Class<?>[] {LeasingOutboxStore.class},
                (proxy, method, args) -> {
                    try {
                        Object result = method.invoke(store, args);
                        if (method.getName().equals("renew")) {
                            then.run();
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void whatADeadNodeHeldIsTakenOverWhenItsLeaseIsOver() {
        registry.register("E", noting());
        Duration lease = Duration.ofSeconds(30);
        ManualClock clock = new ManualClock();
        InMemoryOutboxStore table = new InMemoryOutboxStore(clock);
        InMemoryTxContext transactions = table.txContext();
        // A writer whose dispatcher never works: it dies between commit and delivery.
        OutboxDispatcher dead = closing(OutboxDispatcher.builder()
                .outboxStore(table)
                .connectionProvider(table.connectionProvider())
                .listenerRegistry(registry)
                .leaseTime(lease)
                .withoutThreads()
                .build());
        OutboxWriter writer = new OutboxWriter(transactions, table, new DispatcherWriterHook(dead));
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        transactions.inTransaction(() -> writer.write(event));
        assertThat(table.row(event.eventId()).lockedBy()).isEqualTo(dead.leaseOwner());

        outbox(b -> b.store(table)
                .connections(table.connectionProvider())
                .transactions(transactions)
                .leaseTime(lease));
        clock.advance(lease.plusMillis(1));
        await().until(() -> table.count(EventStatus.DONE) == 1);
        assertThat(delivered).containsExactly(event.eventId());
    }

    @Test
    void aSingleNodeTakesOverWhatItsEarlierLifeHeldAtOnce() {
        registry.register("E", noting());
        OutboxDispatcher dead = closing(OutboxDispatcher.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .listenerRegistry(registry)
                .withoutThreads()
                .build());
        OutboxWriter writer = new OutboxWriter(tx, store, new DispatcherWriterHook(dead));
        EventEnvelope event = EventEnvelope.ofJson("E", "{}");
        tx.inTransaction(() -> writer.write(event));

        closing(Outbox.singleNode()
                .store(store)
                .connections(store.connectionProvider())
                .listeners(registry)
                .leaseTime(Duration.ofHours(1))
                .build()
                .start());
        awaitStatus(event.eventId(), EventStatus.DONE);
    }

    @Test
    void aFullHotQueueGivesTheLeaseBackAndThePollerDelivers() {
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> {
            delivered.add(event.eventId());
            go.await();
        });
        Outbox outbox = outbox(b -> b.workerCount(2).hotQueueCapacity(5).coldQueueCapacity(5));
        List<String> ids;
        try (RecordedLogs logs = new RecordedLogs()) {
            ids = writeMany(outbox, "E", 100);
            assertThat(logs.of(DispatcherWriterHook.class, Level.WARNING))
                    .singleElement()
                    .asString()
                    .contains("hot queue is full", "last " + ids.get(99));
        }
        assertThat(metrics.hotDropped).hasValueGreaterThanOrEqualTo(90);
        go.countDown();

        awaitAll(100, EventStatus.DONE);
        assertThat(delivered).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void outcomesThatCanNotBeWrittenAreWrittenWhenTheDatabaseIsBack() {
        AtomicBoolean down = new AtomicBoolean();
        AtomicInteger refusals = new AtomicInteger();
        ConnectionProvider flaky = () -> {
            if (down.get()) {
                refusals.incrementAndGet();
                throw new SQLException("database is down", "08001");
            }
            return store.connectionProvider().getConnection();
        };
        registry.register("E", event -> {
            down.set(true);
            delivered.add(event.eventId());
        });
        Outbox outbox = closing(Outbox.multiNode()
                .store(store)
                .connections(flaky)
                .transactions(tx)
                .listeners(registry)
                .metrics(metrics)
                .build()
                .start());
        List<String> ids = writeMany(outbox, "E", 10);
        await().until(() -> delivered.size() == 10 && refusals.get() >= 3);
        assertThat(store.count(EventStatus.DONE)).isZero();
        down.set(false);

        awaitAll(10, EventStatus.DONE);
        assertThat(delivered).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void severalNodesDeliverEachEventOnceWithTheHotPathOn() {
        registry.register("E", noting());
        Outbox a = outbox(b -> b.nodeId("a").hotQueueCapacity(50).coldQueueCapacity(100));
        Outbox b = outbox(x -> x.nodeId("b").hotQueueCapacity(50).coldQueueCapacity(100));
        Outbox c = outbox(x -> x.nodeId("c"));
        for (int i = 0; i < 20; i++) {
            writeMany(a, "E", 30);
            writeMany(b, "E", 30);
            writeMany(c, "E", 40);
        }
        awaitAll(2000, EventStatus.DONE);
        assertThat(delivered).hasSize(2000);
        assertThat(new HashSet<>(delivered)).hasSize(2000);
        assertThat(metrics.largestSettlement.get()).isGreaterThan(1);
    }

    @Test
    void withoutClaimsASingleNodeStillDeliversEachEventOnce() {
        DefaultListenerRegistry own = new DefaultListenerRegistry().register("E", noting());
        OutboxDispatcher dispatcher = closing(OutboxDispatcher.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .listenerRegistry(own)
                .hotQueueCapacity(100)
                .build());
        OutboxPoller poller = closing(OutboxPoller.builder()
                .outboxStore(store)
                .connectionProvider(store.connectionProvider())
                .handler(new DispatcherPollerHandler(dispatcher))
                .intervalMs(1)
                .build());
        poller.start();
        OutboxWriter writer = new OutboxWriter(tx, store, new DispatcherWriterHook(dispatcher));
        for (int i = 0; i < 2000; i++) {
            tx.inTransaction(() -> writer.write("E", "{}"));
        }
        awaitAll(2000, EventStatus.DONE);
        Set<String> distinct = new HashSet<>(delivered);
        assertThat(delivered).hasSize(distinct.size()).hasSize(2000);
    }
}
