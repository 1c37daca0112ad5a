package outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every figure of {@link MetricsExporter} gets through a decorator, also one that is added tomorrow. */
class ForwardingMetricsTest {
    static Stream<Method> figures() {
        return Arrays.stream(MetricsExporter.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()));
    }

    private static Object[] arguments(Method figure) {
        return Arrays.stream(figure.getParameterTypes())
                .map(ForwardingMetricsTest::argument)
                .toArray();
    }

    private static Object argument(Class<?> type) {
        if (type == int.class) {
            return 7;
        } else if (type == long.class) {
            return 8L;
        } else if (type == String.class) {
            return "name";
        } else if (type == Duration.class) {
            return Duration.ofMillis(9);
        } else if (type == BreakerState.class) {
            return BreakerState.OPEN;
        }
        throw new IllegalArgumentException("give this test a value of " + type);
    }

    private static MetricsExporter recording(List<String> calls) {
        return (MetricsExporter) Proxy.newProxyInstance(
                MetricsExporter.class.getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                (proxy, method, args) -> {
                    calls.add(method.getName() + Arrays.toString(args));
                    return null;
                });
    }

    @ParameterizedTest
    @MethodSource("figures")
    void everyFigureGetsThroughTheGuard(Method figure) throws Exception {
        List<String> calls = new ArrayList<>();
        Object[] arguments = arguments(figure);
        figure.invoke(GuardedMetrics.of(recording(calls)), arguments);
        assertThat(calls).containsExactly(figure.getName() + Arrays.toString(arguments.length == 0 ? null : arguments));
    }

    @ParameterizedTest
    @MethodSource("figures")
    void whatAnExporterThrowsStaysInTheGuard(Method figure) {
        MetricsExporter broken = (MetricsExporter) Proxy.newProxyInstance(
                MetricsExporter.class.getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                (proxy, method, args) -> {
                    throw new StackOverflowError("of an exporter");
                });
        MetricsExporter guarded = GuardedMetrics.of(broken);
        assertThatCode(() -> figure.invoke(guarded, arguments(figure))).doesNotThrowAnyException();
    }
}
