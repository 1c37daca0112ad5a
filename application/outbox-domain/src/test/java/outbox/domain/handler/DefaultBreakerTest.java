package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import outbox.domain.sample.OrderPlaced;
import outbox.listener.ControlledListener;
import outbox.listener.RetryPreset;
import outbox.spi.BreakerState;

/** A handler or route that says nothing about it has the circuit breaker of the builder. */
class DefaultBreakerTest {
    private static final HandlerOptions PERSISTENT = HandlerOptions.DEFAULT.retry(new RetryRule(attempts -> 0, 1000));

    private final HandlerFixture fixture = new HandlerFixture();
    private final List<EventHandlers> built = new ArrayList<>();

    @AfterEach
    void close() {
        built.forEach(EventHandlers::close);
    }

    private EventHandlers build(EventHandlersBuilder builder) {
        EventHandlers handlers =
                builder.serializer(fixture.serializer).tracker(fixture.tracker).build();
        built.add(handlers);
        return handlers;
    }

    private static EventHandlersBuilder failing(HandlerOptions options) {
        return EventHandlers.builder().handler("failing", OrderPlaced.class, options, (event, envelope) -> {
            throw new IllegalStateException("down");
        });
    }

    /** @return the number of failures after which the breaker was open; 0 if it did not open */
    private int failuresUntilOpen(EventHandlers handlers, int most) {
        for (int failures = 1; failures <= most; failures++) {
            fixture.deliver(handlers, fixture.envelope(new OrderPlaced("o-" + failures, 1)));
            if (handlers.handlers().get(0).breaker() == BreakerState.OPEN) {
                return failures;
            }
        }
        return 0;
    }

    @Test
    void itOpensAfterFiftyFailuresInARow() {
        assertThat(failuresUntilOpen(build(failing(PERSISTENT)), 60)).isEqualTo(50);
    }

    @Test
    void oneEventAloneDoesNotOpenIt() {
        for (RetryPreset preset : RetryPreset.values()) {
            assertThat(preset.maxAttempts()).isLessThan(HandlerOptions.DEFAULT_BREAKER_FAILURES);
        }
    }

    @Test
    void theBuilderSetsAnotherOrNone() {
        Duration pause = Duration.ofMinutes(1);
        assertThat(failuresUntilOpen(build(failing(PERSISTENT).defaultCircuitBreaker(3, pause)), 10))
                .isEqualTo(3);
        assertThat(failuresUntilOpen(build(failing(PERSISTENT).defaultCircuitBreaker(0, pause)), 60))
                .isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventHandlers.builder().defaultCircuitBreaker(-1, pause))
                .withMessageContaining("failures must be positive: -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EventHandlers.builder().defaultCircuitBreaker(3, Duration.ZERO))
                .withMessageContaining("pause must be positive");
    }

    @Test
    void aHandlersOwnSettingWins() {
        Duration pause = Duration.ofMinutes(1);
        assertThat(failuresUntilOpen(build(failing(PERSISTENT.noCircuitBreaker())), 60))
                .isZero();
        assertThat(failuresUntilOpen(
                        build(failing(PERSISTENT.circuitBreaker(2, pause)).defaultCircuitBreaker(0, pause)), 10))
                .isEqualTo(2);
        assertThat(failuresUntilOpen(
                        build(failing(PERSISTENT.circuitBreaker(2, pause).defaultCircuitBreaker())
                                .defaultCircuitBreaker(4, pause)),
                        10))
                .isEqualTo(4);
    }

    static class Annotated {
        @EventHandler(name = "annotated", breakerFailures = 2)
        void on(OrderPlaced event) {
            throw new IllegalStateException("down");
        }
    }

    static class Unbroken {
        @EventHandler(name = "unbroken", breakerFailures = 0)
        void on(OrderPlaced event) {
            throw new IllegalStateException("down");
        }
    }

    static class Plain {
        @EventHandler(name = "plain")
        void on(OrderPlaced event) {
            throw new IllegalStateException("down");
        }
    }

    @Test
    void anAnnotationSetsItsOwnOrNone() {
        RetryRule persistent = new RetryRule(attempts -> 0, 1000);
        assertThat(failuresUntilOpen(build(EventHandlers.scan(new Annotated()).defaultRetry(persistent)), 10))
                .isEqualTo(2);
        assertThat(failuresUntilOpen(build(EventHandlers.scan(new Unbroken()).defaultRetry(persistent)), 60))
                .isZero();
        assertThat(failuresUntilOpen(build(EventHandlers.scan(new Plain()).defaultRetry(persistent)), 60))
                .isEqualTo(50);
    }

    static class Batches {
        @EventHandler(name = "batches", batch = 10)
        void on(List<OrderPlaced> events) {
            throw new IllegalStateException("down");
        }
    }

    /** One failed batch is a failure of each of its events. */
    @Test
    void aHandlerOfBatchesHasAsManyTimesTheBatchSize() {
        RetryRule persistent = new RetryRule(attempts -> 0, 1000);
        assertThat(failuresUntilOpen(build(EventHandlers.scan(new Batches()).defaultRetry(persistent)), 600))
                .isEqualTo(500);
    }

    @Test
    void aRouteHasItTooUnlessItsListenerHasOne() {
        EventRoute route = EventRoute.to("route", event -> {
            throw new IllegalStateException("down");
        });
        assertThat(failuresUntilOpen(build(EventHandlers.builder().route(route)), 60))
                .isEqualTo(50);
        EventRoute controlled = EventRoute.to(
                "route",
                ControlledListener.of(event -> {
                            throw new IllegalStateException("down");
                        })
                        .circuitBreaker(3, Duration.ofMinutes(1))
                        .build());
        assertThat(failuresUntilOpen(build(EventHandlers.builder().route(controlled)), 60))
                .isEqualTo(3);
    }
}
