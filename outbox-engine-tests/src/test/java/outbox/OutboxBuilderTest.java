package outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.lang.reflect.Proxy;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.OutboxStore;
import outbox.testing.InMemoryOutboxStore;

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
    }
}
