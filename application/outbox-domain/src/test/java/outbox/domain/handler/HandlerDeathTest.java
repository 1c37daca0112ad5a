package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.NotAttemptedException;
import outbox.ProcessDiedException;
import outbox.domain.sample.OrderPlaced;
import outbox.listener.ControlledListener;
import outbox.listener.CountingListener;

/** A handler that ends its process uses up its attempts all the same. */
@Timeout(60)
class HandlerDeathTest {
    private static final int LIMIT = 3;

    private final HandlerFixture fixture = new HandlerFixture();
    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private final EventEnvelope event = fixture.envelope(new OrderPlaced("o-1", 1));
    private EventHandlers handlers;

    @AfterEach
    void close() {
        handlers.close();
    }

    private void build(String name, EventHandlersBuilder.HandlerFunction<OrderPlaced> function) {
        handlers = EventHandlers.builder()
                .serializer(fixture.serializer)
                .tracker(fixture.tracker)
                .handler(name, OrderPlaced.class, HandlerOptions.DEFAULT.maxAttempts(LIMIT), function)
                .handler("other", OrderPlaced.class, HandlerOptions.DEFAULT, (happened, envelope) -> calls.add("other"))
                .build();
    }

    /** As a dispatcher does with an event whose lease ran out. */
    private CompletableFuture<?> deliverSuspect() {
        ControlledListener listener =
                (ControlledListener) handlers.listenerFor(event.aggregateType(), event.eventType());
        return ((CountingListener) listener.listener()).onSuspectAsync(event).toCompletableFuture();
    }

    private int attempts(String handler) {
        return fixture.progress(event, handler).attempts();
    }

    @Test
    void theAttemptIsStoredBeforeTheHandlerIsCalled() {
        build("first", (happened, envelope) -> calls.add("first at stored attempt " + attempts("first")));

        deliverSuspect().join();

        assertThat(calls).containsExactly("first at stored attempt 1", "other");
        assertThat(fixture.progress(event, "first").state()).isEqualTo(HandlerState.DONE);
        assertThat(attempts("first")).isEqualTo(1);
    }

    @Test
    void afterTheLastOneItIsDeadAndNotCalled() {
        build("kills", (happened, envelope) -> calls.add("kills"));
        fixture.tracker.record(List.of(
                new HandlerOutcome(event.eventId(), "kills", HandlerState.RETRY, LIMIT, Duration.ZERO, "died")));

        assertThatThrownBy(() -> deliverSuspect().join())
                .hasCauseInstanceOf(HandlersFailedException.class)
                .hasRootCauseInstanceOf(ProcessDiedException.class)
                .hasMessageContaining("the process died while handler 'kills' was being called with this event, at"
                        + " attempt 3 of 3");

        assertThat(calls).containsExactly("other");
        assertThat(fixture.progress(event, "kills").state()).isEqualTo(HandlerState.DEAD);
        assertThat(attempts("kills")).isEqualTo(LIMIT);
    }

    @Test
    void whatFailsCountsOnce() {
        build("fails", (happened, envelope) -> {
            throw new IllegalStateException("down");
        });

        assertThatThrownBy(() -> deliverSuspect().join()).hasMessageContaining("attempt 1 of 3");
        assertThat(attempts("fails")).isEqualTo(1);
    }

    @Test
    void whatWasNotAttemptedDoesNotCount() {
        build("not now", (happened, envelope) -> {
            throw new NotAttemptedException(Duration.ofSeconds(1), "later", null);
        });

        assertThatThrownBy(() -> deliverSuspect().join()).hasCauseInstanceOf(NotAttemptedException.class);
        assertThat(attempts("not now")).isZero();
    }

    @Test
    void handlersOfASuspectEventAreCalledOneAfterTheOther() {
        CountDownLatch end = new CountDownLatch(1);
        build("first", (happened, envelope) -> {
            calls.add("first");
            end.await();
        });
        CompletableFuture<?> delivery = deliverSuspect();
        await().until(() -> calls.contains("first"));

        assertThat(attempts("other")).as("would count if the process ended now").isZero();
        end.countDown();
        delivery.join();
        assertThat(calls).containsExactly("first", "other");
    }
}
