package outbox.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;
import outbox.AggregateType;
import outbox.EventListener;
import outbox.EventType;
import outbox.StringAggregateType;
import outbox.StringEventType;

class DefaultListenerRegistryTest {
    private final EventListener listener = event -> {};
    private final EventType type = StringEventType.of("Placed");
    private final AggregateType order = StringAggregateType.of("Order");

    @Test
    void everyCombinationOfNamesFindsTheListener() {
        assertThat(new DefaultListenerRegistry().register("Placed", listener).listenerFor("__GLOBAL__", "Placed"))
                .isSameAs(listener);
        assertThat(new DefaultListenerRegistry().register(type, listener).listenerFor("__GLOBAL__", "Placed"))
                .isSameAs(listener);
        assertThat(new DefaultListenerRegistry()
                        .register("Order", "Placed", listener)
                        .listenerFor("Order", "Placed"))
                .isSameAs(listener);
        assertThat(new DefaultListenerRegistry().register(order, type, listener).listenerFor("Order", "Placed"))
                .isSameAs(listener);
        assertThat(new DefaultListenerRegistry()
                        .register(order, "Placed", listener)
                        .listenerFor("Order", "Placed"))
                .isSameAs(listener);
        assertThat(new DefaultListenerRegistry()
                        .register("Order", type, listener)
                        .listenerFor("Order", "Placed"))
                .isSameAs(listener);
    }

    @Test
    void nobodyIsFoundForAnotherPair() {
        DefaultListenerRegistry registry = new DefaultListenerRegistry().register("Order", "Placed", listener);
        assertThat(registry.listenerFor("Order", "Paid")).isNull();
        assertThat(registry.listenerFor("__GLOBAL__", "Placed")).isNull();
        assertThat(new DefaultListenerRegistry().register("a:b", "c", listener).listenerFor("a", "b:c"))
                .isNull();
    }

    @Test
    void aSecondListenerForAPairIsRefused() {
        DefaultListenerRegistry registry = new DefaultListenerRegistry().register("Order", "Placed", listener);
        assertThatIllegalStateException()
                .isThrownBy(() -> registry.register("Order", "Placed", event -> {}))
                .withMessageContaining("Order:Placed");
    }
}
