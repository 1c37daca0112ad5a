package outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.dead.FailedEventAlert;
import outbox.dead.FailedEvents;
import outbox.listener.ControlledListener;
import outbox.model.EventStatus;
import outbox.spi.ClaimRequest;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.UnitOfWork;

/** P3: delivery when somebody from outside asks for it. */
@Timeout(60)
class RelayTest extends EngineFixture {
    private Outbox elsewhere() {
        return closing(Outbox.writerOnly()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .build());
    }

    @Test
    void oneRelayTakesOneBatchAndReturnsWhenItIsWritten() {
        registry.register("E", noting());
        Outbox outbox = outbox(OutboxBuilder::pollOnDemand);
        writeMany(elsewhere(), "E", 25);

        assertThat(outbox.relay().relayOnce(10)).isEqualTo(new OutboxRelay.Result(10, 10, 0, 0));

        assertThat(store.count(EventStatus.DONE)).isEqualTo(10);
        assertThat(delivered).hasSize(10);
    }

    @Test
    void recoveryGoesOnUntilNothingIsDue() {
        registry.register("E", noting());
        Outbox outbox = outbox(b -> b.pollOnDemand().claimSize(10));
        writeMany(elsewhere(), "E", 25);

        assertThat(outbox.relay().recoverOnce()).isEqualTo(new OutboxRelay.Result(25, 25, 0, 0));
        assertThat(outbox.relay().recoverOnce()).isEqualTo(new OutboxRelay.Result(0, 0, 0, 0));
    }

    @Test
    void recoveryGoesOnPastEventsOfAPausedListener() {
        ControlledListener paused = ControlledListener.of(event -> {}).build();
        paused.pause();
        registry.register("Paused", paused).register("E", noting());
        Outbox outbox = outbox(b -> b.pollOnDemand().claimSize(10));
        Outbox writer = elsewhere();
        writeMany(writer, "Paused", 35);
        writeMany(writer, "E", 15);

        assertThat(outbox.relay().recoverOnce().delivered()).isEqualTo(15);
        assertThat(store.count(EventStatus.NEW)).isEqualTo(35);
    }

    @Test
    void aRelayEndsWithItsOutboxThoughAListenerDoesNot() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        registry.register("E", event -> {
            called.countDown();
            Uninterruptibly.await(go);
        });
        Outbox outbox = outbox(b -> b.pollOnDemand().drainTimeout(Duration.ofMillis(10)));
        write(elsewhere(), "E");
        CompletableFuture<OutboxRelay.Result> relay =
                CompletableFuture.supplyAsync(() -> outbox.relay().relayOnce(10));
        called.await();
        outbox.close();

        assertThat(relay.get()).isEqualTo(new OutboxRelay.Result(1, 0, 0, 0));
        go.countDown();
    }

    @Test
    void whatFailsIsCounted() {
        registry.register("E", noting()).register("F", event -> {
            throw new IOException("away");
        });
        Outbox outbox = outbox(b -> b.pollOnDemand().retryPolicy(attempts -> 3_600_000));
        Outbox writer = elsewhere();
        write(writer, "E");
        write(writer, "F");
        write(writer, "nobody's");

        assertThat(outbox.relay().recoverOnce()).isEqualTo(new OutboxRelay.Result(3, 1, 1, 1));
    }

    @Test
    void nothingIsReadUnlessAskedFor() {
        registry.register("E", noting());
        Outbox outbox = outbox(OutboxBuilder::pollOnDemand);
        String cold = write(elsewhere(), "E");
        String hot = write(outbox, "E");

        awaitStatus(hot, EventStatus.DONE);
        assertThat(store.row(cold).status()).isEqualTo(EventStatus.NEW);
        assertThat(metrics.coldEnqueued).hasValue(0);
        assertThat(outbox.isRunning()).isTrue();
        outbox.close();
        assertThat(outbox.isRunning()).isFalse();
    }

    @Test
    void deadEventsAreReportedToTheAlertAndOnlyThen() {
        List<FailedEvents> alerts = new CopyOnWriteArrayList<>();
        Outbox outbox = outbox(b -> b.failedEventAlert(alerts::add));
        assertThat(outbox.relay().warnFailedOnce().dead()).isZero();
        assertThat(alerts).isEmpty();

        String id = write(outbox, "nobody's");
        awaitStatus(id, EventStatus.DEAD);

        FailedEvents failed = outbox.relay().warnFailedOnce();
        assertThat(failed.dead()).isEqualTo(1);
        assertThat(failed.oldest())
                .singleElement()
                .satisfies(event -> assertThat(event.eventId()).isEqualTo(id));
        assertThat(alerts).containsExactly(failed);
    }

    @Test
    void theAlertHearsThatNothingIsDeadAnyMore() {
        List<String> heard = new CopyOnWriteArrayList<>();
        Outbox outbox = outbox(b -> b.failedEventAlert(new FailedEventAlert() {
            @Override
            public void failed(FailedEvents events) {
                heard.add(events.dead() + " dead");
            }

            @Override
            public void noneFailed() {
                heard.add("none");
            }
        }));
        String id = write(outbox, "late");
        awaitStatus(id, EventStatus.DEAD);
        outbox.relay().warnFailedOnce();
        registry.register("late", noting());
        assertThat(outbox.deadEvents().replay(id)).isTrue();
        outbox.relay().warnFailedOnce();
        assertThat(heard).containsExactly("1 dead", "none");
    }

    @Test
    void aDatabaseThatIsAwayReachesTheCaller() {
        AtomicBoolean away = new AtomicBoolean();
        Outbox outbox = closing(Outbox.multiNode()
                .store(store)
                .connections(() -> {
                    if (away.get()) {
                        throw new SQLException("away");
                    }
                    return store.connectionProvider().getConnection();
                })
                .listeners(registry)
                .pollOnDemand()
                .build()
                .start());
        away.set(true);

        assertThatThrownBy(() -> outbox.relay().relayOnce(10)).hasMessageContaining("away");
        assertThatThrownBy(() -> outbox.relay().warnFailedOnce()).hasMessageContaining("away");
    }

    @Test
    void theWriterOnlyFormRelaysNothing() {
        assertThatThrownBy(() -> elsewhere().relay()).hasMessageContaining("writes only");
    }

    @Test
    void anOutcomeThatCameTooLateIsNotCounted() {
        registry.register("E", event -> {
            noting().onEvent(event);
            takeAway();
        });
        Outbox outbox = outbox(OutboxBuilder::pollOnDemand);
        String id = write(elsewhere(), "E");

        assertThat(outbox.relay().relayOnce(10)).isEqualTo(new OutboxRelay.Result(1, 0, 0, 0));
        assertThat(store.row(id).lockedBy()).isEqualTo("another/1");
        assertThat(metrics.leasesLost).hasValue(1);
    }

    /** What another node does that takes the lease for over. */
    private void takeAway() throws SQLException {
        UnitOfWork.run(store.connectionProvider(), conn -> store.expireOthers(conn, "another/1"));
        UnitOfWork.run(
                store.connectionProvider(),
                conn -> store.claim(conn, new ClaimRequest("another/1", Duration.ofHours(1), Duration.ZERO, 10)));
    }

    @Test
    void aCountOfPendingRowsThatFailsDoesNotFailTheRelay() {
        registry.register("E", noting());
        LeasingOutboxStore uncountable = (LeasingOutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {LeasingOutboxStore.class}, (proxy, method, args) -> {
                    if (method.getName().equals("countPending")) {
                        throw new IllegalStateException("canceling statement due to statement timeout");
                    }
                    return method.invoke(store, args);
                });
        Outbox outbox = outbox(b -> b.store(uncountable).pollOnDemand());
        write(elsewhere(), "E");

        try (RecordedLogs logs = new RecordedLogs()) {
            assertThat(outbox.relay().relayOnce(10)).isEqualTo(new OutboxRelay.Result(1, 1, 0, 0));
            assertThat(logs.of("outbox.poller.PollFigures", Level.WARNING)).hasSize(1);
        }
    }
}
