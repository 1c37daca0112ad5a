package outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.dispatch.OutboxDispatcher;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.purge.OutboxPurgeScheduler;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;
import outbox.testing.ManualClock;

class OutboxBuilderTest {
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();

    @Test
    void missingPartsAreNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.multiNode().build())
                .withMessage("multiNode() needs store(...)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.singleNode()
                        .store(store)
                        .connections(store.connectionProvider())
                        .build())
                .withMessage("singleNode() needs listeners(...)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.writerOnly()
                        .store(store)
                        .connections(store.connectionProvider())
                        .build())
                .withMessage("writerOnly() needs transactions(...)");
    }

    @Test
    void aWriterOnlyOutboxRefusesDeliverySettingsByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.writerOnly()
                        .store(store)
                        .connections(store.connectionProvider())
                        .transactions(store.txContext())
                        .listeners(new DefaultListenerRegistry())
                        .workerCount(2)
                        .build())
                .withMessageContaining("listeners")
                .withMessageContaining("workerCount")
                .withMessageContaining("writerOnly()");
    }

    @Test
    void whatItWasBuiltWithCanBeSeen() {
        try (Outbox outbox = Outbox.multiNode()
                .store(store)
                .connections(store.connectionProvider())
                .listeners(new DefaultListenerRegistry())
                .leaseTime(Duration.ofSeconds(7))
                .maxAttempts(3)
                .failureListener(failure -> {})
                .build()) {
            assertThat(outbox.settings())
                    .isEqualTo(new OutboxSettings(
                            OutboxSettings.Form.MULTI_NODE, false, false, Duration.ofSeconds(7), 3, true));
        }
        try (Outbox outbox = Outbox.writerOnly()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(store.txContext())
                .build()) {
            assertThat(outbox.settings().form()).isEqualTo(OutboxSettings.Form.WRITER_ONLY);
            assertThat(outbox.settings().writes()).isTrue();
            assertThat(outbox.settings().recordsFailures()).isFalse();
        }
    }

    @Test
    void retentionWithoutAPurgerIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.multiNode()
                        .store(store)
                        .connections(store.connectionProvider())
                        .listeners(new DefaultListenerRegistry())
                        .retention(Duration.ofDays(1))
                        .build())
                .withMessageContaining("purger");
    }

    @Test
    void aStoreWithoutLeasesIsRefused() {
        OutboxStore plain = (OutboxStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, args) -> null);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.multiNode()
                        .store(plain)
                        .connections(store.connectionProvider())
                        .listeners(new DefaultListenerRegistry())
                        .build())
                .withMessageContaining("LeasingOutboxStore");
    }

    @Test
    void sizesAndTimesMustMakeSense() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.multiNode().hotQueueCapacity(0))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.multiNode().claimSize(-1))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException().isThrownBy(() -> Outbox.multiNode().leaseTime(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> Outbox.multiNode().pollInterval(Duration.ofMillis(-1)));
        assertThatIllegalArgumentException().isThrownBy(() -> Outbox.multiNode().maxAttempts(0));
        assertThatIllegalArgumentException().isThrownBy(() -> Outbox.multiNode().workerCount(-1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.multiNode().retention(Duration.ofDays(-1)))
                .withMessageContaining("PT-24H");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Outbox.multiNode().purgeInterval(Duration.ZERO))
                .withMessageContaining("PT0S");
    }

    @Test
    void partsByThemselvesRefuseTheSame() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxDispatcher.builder().coldQueueCapacity(-1))
                .withMessageContaining("coldQueueCapacity must be positive: -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxDispatcher.builder().drainTimeoutMs(-1))
                .withMessageContaining("drainTimeoutMs must not be negative: -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxPoller.builder().batchSize(0))
                .withMessageContaining("batchSize must be positive: 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxPoller.builder().intervalMs(0))
                .withMessageContaining("intervalMs must be positive: 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxPoller.builder().skipRecent(Duration.ofMillis(-1)))
                .withMessageContaining("skipRecent must not be negative: PT-0.001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OutboxPoller.builder().claimLocking("node", Duration.ZERO))
                .withMessageContaining("claimLocking must be positive: PT0S");
        assertThatNullPointerException()
                .isThrownBy(() -> OutboxDispatcher.builder().build())
                .withMessage("connectionProvider");
        assertThatNullPointerException()
                .isThrownBy(() -> OutboxPoller.builder().build())
                .withMessage("connectionProvider");
        assertThatNullPointerException()
                .isThrownBy(() -> OutboxPurgeScheduler.builder().build())
                .withMessage("connectionProvider");
    }

    @Test
    void timesThatNeverEndAreNoNonsense() {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry().register("E", event -> {});
        InMemoryTxContext tx = store.txContext();
        try (Outbox outbox = Outbox.multiNode()
                .store(store)
                .connections(store.connectionProvider())
                .transactions(tx)
                .listeners(listeners)
                .leaseTime(forever)
                .pollInterval(forever)
                .drainTimeout(forever)
                .purger(store.purger())
                .retention(forever)
                .purgeInterval(forever)
                .build()
                .start()) {
            tx.inTransaction(() -> outbox.writer().write("E", "{}"));
        }
        assertThat(store.count(EventStatus.DONE)).isOne();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLeaseThatIsNearItsEndIsReleasedBeforeTheCommit(boolean ownHook) {
        ManualClock clock = new ManualClock();
        InMemoryOutboxStore table = new InMemoryOutboxStore(clock);
        InMemoryTxContext tx = table.txContext();
        OutboxBuilder builder = Outbox.multiNode()
                .store(table)
                .connections(table.connectionProvider())
                .transactions(tx)
                .listeners(new DefaultListenerRegistry())
                .leaseTime(Duration.ofSeconds(10))
                .clock(clock);
        try (Outbox outbox = (ownHook ? builder.writerHook(new WriterHook() {}) : builder).build()) {
            tx.inTransaction(() -> {
                outbox.writer().write("E", "{}");
                clock.advance(Duration.ofSeconds(11));
            });
            assertThat(table.rows()).allMatch(row -> row.lockedBy() == null);
        }
    }
}
