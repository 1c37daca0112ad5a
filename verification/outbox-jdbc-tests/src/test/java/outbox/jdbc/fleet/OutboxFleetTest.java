package outbox.jdbc.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.fleet.FleetNodes;
import outbox.fleet.OutboxFleet;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;

class OutboxFleetTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private final List<OutboxFleet> fleets = new ArrayList<>();
    private final List<TestDatabase> databases = new ArrayList<>();
    private final Map<String, Queue<String>> delivered = new ConcurrentHashMap<>();
    private final H2OutboxStore store = new H2OutboxStore();

    @AfterEach
    void close() {
        fleets.forEach(OutboxFleet::close);
        databases.forEach(TestDatabase::drop);
    }

    /** A database of a tenant, that counts its connections and can be broken. */
    private final class Tenant {
        private final String name;
        private final TestDatabase database = EmbeddedH2.shared().freshDatabase();
        private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        private final JdbcTransactionManager transactions;
        private final AtomicInteger asked = new AtomicInteger();
        private final AtomicBoolean broken = new AtomicBoolean();
        private final AtomicBoolean stumbles = new AtomicBoolean();
        private volatile CountDownLatch stuck = new CountDownLatch(0);

        Tenant(String name) throws SQLException {
            this.name = name;
            this.transactions = new JdbcTransactionManager(database.dataSource()::getConnection, txContext);
            try (Connection conn = database.dataSource().getConnection()) {
                store.schema().apply(conn);
            }
            databases.add(database);
        }

        private Connection connection() throws SQLException {
            asked.incrementAndGet();
            try {
                stuck.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (stumbles.compareAndSet(true, false)) {
                throw new NoClassDefFoundError("simulated: a driver with a part missing");
            }
            if (broken.get()) {
                throw new SQLException("broken", "08001");
            }
            return database.dataSource().getConnection();
        }

        OutboxBuilder outbox() {
            return JdbcOutbox.multiNode(database.dataSource(), store)
                    .connections(this::connection)
                    .transactions(txContext)
                    .listeners(new DefaultListenerRegistry()
                            .register(
                                    "Happened",
                                    event -> delivered
                                            .computeIfAbsent(name, n -> new ConcurrentLinkedQueue<>())
                                            .add(event.eventId())));
        }

        EventEnvelope write(Outbox outbox) throws SQLException {
            EventEnvelope event = EventEnvelope.ofJson("Happened", "{}");
            try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
                outbox.writer().write(event);
                tx.commit();
            }
            return event;
        }

        EventEnvelope insertBehindItsBack() throws SQLException {
            EventEnvelope event = EventEnvelope.ofJson("Happened", "{}");
            try (Connection conn = database.dataSource().getConnection()) {
                store.insertNew(conn, event);
            }
            return event;
        }

        int pending() throws SQLException {
            try (Connection conn = database.dataSource().getConnection();
                    var statement = conn.createStatement();
                    var rows = statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)")) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }

    private OutboxFleet fleet(OutboxFleet.Builder builder) {
        OutboxFleet fleet = builder.build();
        fleets.add(fleet);
        return fleet;
    }

    private int countDelivered(String tenant) {
        return delivered.getOrDefault(tenant, new ConcurrentLinkedQueue<>()).size();
    }

    @Test
    void eachDatabaseDeliversItsOwnHotAndCold() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder().workers(3).databaseThreads(2));
        List<Tenant> tenants = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Tenant tenant = new Tenant("t" + i);
            tenants.add(tenant);
            tenant.insertBehindItsBack();
            Outbox outbox = fleet.add(tenant.name, tenant.outbox());
            for (int event = 0; event < 20; event++) {
                tenant.write(outbox);
            }
        }
        for (Tenant tenant : tenants) {
            await().atMost(LONG).until(() -> countDelivered(tenant.name) == 21 && tenant.pending() == 0);
        }
        assertThat(fleet.failing()).isEmpty();
        assertThat(fleet.get("t1").isRunning()).isTrue();
    }

    @Test
    void anIdleDatabaseIsAskedLessAndLessAndAtOnceWhenItsWriterWantsIt() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder()
                .pollInterval(Duration.ofMillis(20))
                .idleInterval(Duration.ofMinutes(2))
                .fallbackInterval(Duration.ofMinutes(5)));
        Tenant idle = new Tenant("idle");
        Outbox outbox = fleet.add("idle", idle.outbox());
        await().atMost(LONG).until(() -> idle.asked.get() >= 5);
        idle.write(outbox);
        await().atMost(LONG).until(() -> countDelivered("idle") == 1 && idle.pending() == 0);
        outbox.relay().recoverOnce();
        int asked = idle.asked.get();
        assertThat(asked).as("not 50 times a second").isLessThan(60);
    }

    @Test
    void oneBrokenDatabaseDoesNotHoldUpTheOthersAndComesBack() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder().workers(2).databaseThreads(1));
        Tenant broken = new Tenant("broken");
        Tenant healthy = new Tenant("healthy");
        Outbox brokenOutbox = fleet.add("broken", broken.outbox());
        Outbox healthyOutbox = fleet.add("healthy", healthy.outbox());
        broken.write(brokenOutbox);
        await().atMost(LONG).until(() -> countDelivered("broken") == 1 && broken.pending() == 0);

        broken.broken.set(true);
        broken.write(brokenOutbox);
        await().atMost(LONG).until(() -> fleet.failing().equals(List.of("broken")));
        broken.stuck = new CountDownLatch(1); // from now on it does not even answer
        for (int i = 0; i < 50; i++) {
            healthy.write(healthyOutbox);
        }
        await().atMost(LONG).until(() -> countDelivered("healthy") == 50 && healthy.pending() == 0);

        broken.broken.set(false);
        broken.stuck.countDown();
        await().atMost(LONG)
                .until(() -> broken.pending() == 0 && fleet.failing().isEmpty());
        assertThat(countDelivered("broken")).isEqualTo(2);
    }

    @Test
    void anErrorIsNotTheEndOfTheVisitsToADatabase() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder()
                .pollInterval(Duration.ofMillis(20))
                .idleInterval(Duration.ofMillis(40))
                .fallbackInterval(Duration.ofMillis(80)));
        Tenant tenant = new Tenant("t");
        tenant.stumbles.set(true); // at its start
        fleet.add("t", tenant.outbox());
        tenant.insertBehindItsBack();
        await().atMost(LONG).until(() -> countDelivered("t") == 1 && tenant.pending() == 0);

        tenant.stumbles.set(true); // at a poll
        await().atMost(LONG).until(() -> !tenant.stumbles.get());
        int asked = tenant.asked.get();
        await().atMost(LONG).until(() -> tenant.asked.get() > asked + 5);
        tenant.insertBehindItsBack();
        await().atMost(LONG).until(() -> countDelivered("t") == 2 && tenant.pending() == 0);
    }

    @Test
    void aPollThatTakesLongerThanTheFallbackIntervalIsNotTheLastOne() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder()
                .pollInterval(Duration.ofMillis(20))
                .idleInterval(Duration.ofMillis(40))
                .fallbackInterval(Duration.ofMillis(80)));
        Tenant slow = new Tenant("slow");
        fleet.add("slow", slow.outbox());
        await().atMost(LONG).until(() -> slow.asked.get() > 3);

        CountDownLatch stuck = new CountDownLatch(1);
        slow.stuck = stuck;
        int before = slow.asked.get();
        await().atMost(LONG).until(() -> slow.asked.get() > before);
        await().atMost(LONG).pollDelay(Duration.ofMillis(200)).until(() -> true); // longer than the fallback interval
        stuck.countDown();

        int after = slow.asked.get();
        await().atMost(LONG).until(() -> slow.asked.get() > after + 5);
    }

    /** Nothing fails: outcomes and polls of that database just do not come back. */
    @Test
    void aDatabaseThatStopsAnsweringLeavesThreadsToTheOthers() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder()
                .workers(2)
                .databaseThreads(2)
                .pollInterval(Duration.ofMillis(20))
                .idleInterval(Duration.ofMillis(40)));
        Tenant silent = new Tenant("silent");
        Tenant healthy = new Tenant("healthy");
        Outbox silentOutbox = fleet.add("silent", silent.outbox());
        Outbox healthyOutbox = fleet.add("healthy", healthy.outbox());
        silent.write(silentOutbox);
        await().atMost(LONG).until(() -> countDelivered("silent") == 1 && silent.pending() == 0);

        CountDownLatch stuck = new CountDownLatch(1);
        silent.stuck = stuck;
        int asked = silent.asked.get();
        silent.write(silentOutbox);
        await().atMost(LONG).until(() -> silent.asked.get() > asked && countDelivered("silent") == 2);
        for (int i = 0; i < 50; i++) {
            healthy.write(healthyOutbox);
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> countDelivered("healthy") == 50 && healthy.pending() == 0);

        stuck.countDown();
        await().atMost(LONG).until(() -> silent.pending() == 0);
    }

    @Test
    void aDatabaseThatIsRemovedIsLeftAloneEvenIfItWasNeverThere() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder().pollInterval(Duration.ofMillis(20)));
        Tenant gone = new Tenant("gone");
        gone.broken.set(true);
        fleet.add("gone", gone.outbox());
        await().atMost(LONG).until(() -> fleet.failing().equals(List.of("gone")));
        fleet.remove("gone");
        assertThat(fleet.failing()).isEmpty();
        int asked = gone.asked.get();
        await().atMost(Duration.ofMinutes(1)).during(Duration.ofMillis(1500)).until(() -> gone.asked.get() == asked);

        gone.broken.set(false);
        gone.insertBehindItsBack();
        fleet.add("gone", gone.outbox());
        await().atMost(LONG).until(() -> countDelivered("gone") == 1);
    }

    @Test
    void oneBusyDatabaseLeavesWorkersToTheOthers() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder().workers(2));
        CountDownLatch release = new CountDownLatch(1);
        Tenant busy = new Tenant("busy");
        Tenant other = new Tenant("other");
        Outbox busyOutbox =
                fleet.add("busy", busy.outbox().listeners(new DefaultListenerRegistry().register("Happened", event -> {
                            release.await();
                            delivered
                                    .computeIfAbsent("busy", n -> new ConcurrentLinkedQueue<>())
                                    .add(event.eventId());
                        })));
        Outbox otherOutbox = fleet.add("other", other.outbox());
        for (int i = 0; i < 10; i++) {
            busy.write(busyOutbox);
        }
        other.write(otherOutbox);
        await().atMost(LONG).until(() -> countDelivered("other") == 1);
        assertThat(countDelivered("busy")).isZero();
        release.countDown();
        await().atMost(LONG).until(() -> countDelivered("busy") == 10 && busy.pending() == 0);
    }

    @Test
    void aDatabaseThatIsNotThereAtTheStartIsTakenInWhenItIs() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder());
        Tenant late = new Tenant("late");
        late.broken.set(true);
        EventEnvelope event = late.insertBehindItsBack();
        fleet.add("late", late.outbox());
        await().atMost(LONG).until(() -> fleet.failing().equals(List.of("late")));
        late.broken.set(false);
        await().atMost(LONG).until(() -> delivered.containsKey("late"));
        assertThat(delivered.get("late")).containsExactly(event.eventId());
    }

    @Test
    void closingDeliversWhatIsQueuedAndGivesTheRestBack() throws Exception {
        OutboxFleet fleet = OutboxFleet.builder().workers(2).build();
        Tenant tenant = new Tenant("t");
        Outbox outbox = fleet.add("t", tenant.outbox());
        for (int i = 0; i < 200; i++) {
            tenant.write(outbox);
        }
        fleet.close();
        assertThat(countDelivered("t")).isEqualTo(200);
        assertThat(tenant.pending()).isZero();
        assertThat(outbox.isRunning()).isFalse();
    }

    @Test
    void aDatabaseOfAnotherNodeIsLeftToItUnlessThatNodeIsGone() throws Exception {
        AtomicBoolean otherLives = new AtomicBoolean(true);
        FleetNodes nodes = new FleetNodes() {
            @Override
            public String self() {
                return "b";
            }

            @Override
            public List<String> live() {
                return otherLives.get() ? List.of("a", "b") : List.of("b");
            }
        };
        OutboxFleet fleet = fleet(OutboxFleet.builder()
                .pollInterval(Duration.ofMillis(20))
                .idleInterval(Duration.ofMillis(40))
                .nodes(nodes));
        List<Tenant> tenants = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Tenant tenant = new Tenant("shard-" + i);
            tenants.add(tenant);
            fleet.add(tenant.name, tenant.outbox());
        }
        await().atMost(LONG).until(() -> tenants.stream().anyMatch(tenant -> tenant.asked.get() > 60));
        List<Tenant> left =
                tenants.stream().filter(tenant -> tenant.asked.get() < 30).toList();
        assertThat(left).as("databases of the other node").isNotEmpty().hasSizeLessThan(8);
        otherLives.set(false);
        await().atMost(LONG).until(() -> left.stream().allMatch(tenant -> tenant.asked.get() > 60));
    }

    @Test
    void whatIsTheFleetsToDecideIsRefusedByName() throws Exception {
        OutboxFleet fleet = fleet(OutboxFleet.builder());
        Tenant tenant = new Tenant("t");
        assertThatThrownBy(() -> fleet.add("t", tenant.outbox().workerCount(3)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("workerCount");
        Outbox outbox = fleet.add("t", tenant.outbox());
        assertThatThrownBy(() -> fleet.add("t", tenant.outbox())).hasMessageContaining("already");
        assertThatThrownBy(outbox::start).hasMessageContaining("fleet");
        assertThatThrownBy(() -> fleet.get("nobody")).hasMessageContaining("nobody");
        assertThatThrownBy(() ->
                        OutboxFleet.builder().idleInterval(Duration.ofMillis(1)).build())
                .hasMessageContaining("idleInterval");
    }
}
