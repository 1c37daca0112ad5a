package outbox.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;

class NodeCountersTest {
    @Test
    void everyFigureIsPassedOn() throws Exception {
        List<String> arrived = new ArrayList<>();
        MetricsExporter next = (MetricsExporter) Proxy.newProxyInstance(
                NodeCountersTest.class.getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                (proxy, method, arguments) -> {
                    arrived.add(method.getName());
                    return null;
                });
        NodeCounters counters = new NodeCounters(next);
        List<String> sent = new ArrayList<>();
        for (Method method : MetricsExporter.class.getMethods()) {
            if (!Modifier.isStatic(method.getModifiers())) {
                sent.add(method.getName());
                method.invoke(
                        counters,
                        Arrays.stream(method.getParameterTypes())
                                .map(NodeCountersTest::sample)
                                .toArray());
            }
        }
        assertThat(arrived).containsExactlyElementsOf(sent);
        assertThat(counters.delivered() + counters.failed() + counters.dead()).isEqualTo(3);
    }

    private static Object sample(Class<?> type) {
        if (type == int.class) {
            return 1;
        }
        if (type == long.class) {
            return 1L;
        }
        if (type == Duration.class) {
            return Duration.ofSeconds(1);
        }
        return type == BreakerState.class ? BreakerState.OPEN : "name";
    }
}
