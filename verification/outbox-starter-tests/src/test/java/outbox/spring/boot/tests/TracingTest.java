package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import io.micrometer.context.ContextSnapshotFactory;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** W12: the trace of the writer goes on around the handler; OpenTelemetry below, Micrometer above. */
class TracingTest {
    static class Traced {
        final List<String> traceIds = new CopyOnWriteArrayList<>();
        final List<String> headers = new CopyOnWriteArrayList<>();
        private final Tracer tracer;

        Traced(Tracer tracer) {
            this.tracer = tracer;
        }

        @EventHandler
        void on(OrderPlaced event, Map<String, String> headers) {
            this.headers.add(String.valueOf(headers.get("traceparent")));
            this.traceIds.add(currentTrace(tracer));
        }
    }

    private static String currentTrace(Tracer tracer) {
        @Nullable Span span = tracer.currentSpan();
        return span == null ? "none" : span.context().traceId();
    }

    @Test
    void theHandlerIsPartOfTheWritersTrace() {
        app(Traced.class)
                .withPropertyValues("management.tracing.sampling.probability=1.0")
                .run(context -> {
                    Tracer tracer = context.getBean(Tracer.class);
                    AtomicReference<String> writer = new AtomicReference<>();
                    Observation.createNotStarted("request", context.getBean(ObservationRegistry.class))
                            .observe(() -> inTransaction(context, () -> {
                                writer.set(currentTrace(tracer));
                                context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1"));
                            }));

                    Traced traced = context.getBean(Traced.class);
                    await().until(() -> !traced.traceIds.isEmpty());
                    assertThat(writer.get()).hasSize(32);
                    assertThat(traced.traceIds).containsExactly(writer.get());
                    assertThat(traced.headers.get(0)).startsWith("00-" + writer.get() + "-");
                });
    }

    /** Hands its context on to another thread, as reactive clients and instrumented executors do. */
    static class Forking {
        final List<String> traceIds = new CopyOnWriteArrayList<>();
        private final Tracer tracer;

        Forking(Tracer tracer) {
            this.tracer = tracer;
        }

        @EventHandler
        void on(OrderPlaced event) throws InterruptedException {
            Runnable work = () -> traceIds.add(currentTrace(tracer));
            Thread other = new Thread(
                    ContextSnapshotFactory.builder().build().captureAll().wrap(work));
            other.start();
            other.join();
        }
    }

    @Test
    void whatAHandlerStartsWithContextPropagationIsToo() {
        app(Forking.class)
                .withPropertyValues("management.tracing.sampling.probability=1.0")
                .run(context -> {
                    Tracer tracer = context.getBean(Tracer.class);
                    AtomicReference<String> writer = new AtomicReference<>();
                    Observation.createNotStarted("request", context.getBean(ObservationRegistry.class))
                            .observe(() -> inTransaction(context, () -> {
                                writer.set(currentTrace(tracer));
                                context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1"));
                            }));
                    Forking forking = context.getBean(Forking.class);
                    await().until(() -> !forking.traceIds.isEmpty());
                    assertThat(forking.traceIds).containsExactly(writer.get());
                });
    }

    @Test
    void soIsAListener() {
        List<String> traces = new CopyOnWriteArrayList<>();
        AtomicReference<Tracer> current = new AtomicReference<>();
        ListenerRegistry registry = new DefaultListenerRegistry()
                .register("OrderShipped", (EventEnvelope event) -> traces.add(currentTrace(current.get())));
        app().withBean(ListenerRegistry.class, () -> registry)
                .withPropertyValues("management.tracing.sampling.probability=1.0")
                .run(context -> {
                    current.set(context.getBean(Tracer.class));
                    AtomicReference<String> writer = new AtomicReference<>();
                    Observation.createNotStarted("request", context.getBean(ObservationRegistry.class))
                            .observe(() -> inTransaction(context, () -> {
                                writer.set(currentTrace(current.get()));
                                context.getBean(OutboxWriter.class).write("OrderShipped", "{}");
                            }));
                    await().until(() -> !traces.isEmpty());
                    assertThat(traces).containsExactly(writer.get());
                });
    }

    @Test
    void itCanBeSwitchedOff() {
        app(Traced.class).withPropertyValues("outbox.tracing.enabled=false").run(context -> {
            inTransaction(
                    context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1")));
            Traced traced = context.getBean(Traced.class);
            await().until(() -> !traced.headers.isEmpty());
            assertThat(traced.headers).containsExactly("null");
        });
    }
}
