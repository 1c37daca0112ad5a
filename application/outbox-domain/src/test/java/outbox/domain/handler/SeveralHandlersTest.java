package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.RetryAfterException;
import outbox.domain.EventHeaders;
import outbox.domain.handler.HandlerFixture.RowOutcome;
import outbox.domain.sample.OrderPlaced;

@DisplayName("T2 several handlers of one event")
class SeveralHandlersTest {
    private final HandlerFixture fixture = new HandlerFixture();
    private final List<String> calls = new ArrayList<>();
    private Exception mailFailure;
    private Exception stockFailure;

    class Shop {
        @EventHandler(name = "mail", retry = "fast", maxAttempts = 3, deadOn = IllegalArgumentException.class)
        void mail(OrderPlaced event) throws Exception {
            calls.add("mail");
            if (mailFailure != null) {
                throw mailFailure;
            }
        }

        @EventHandler(name = "stock", retry = "slow")
        void stock(OrderPlaced event) throws Exception {
            calls.add("stock");
            if (stockFailure != null) {
                throw stockFailure;
            }
        }
    }

    private EventHandlers handlers;
    private final EventEnvelope event = fixture.envelope(new OrderPlaced("42", 100));

    @BeforeEach
    void build() {
        handlers = fixture.handlers(new Shop())
                .retryRule("fast", new RetryRule(attempts -> 1_000, 10))
                .retryRule("slow", new RetryRule(attempts -> 30_000, 10))
                .build();
    }

    private RowOutcome deliver() {
        calls.clear();
        return fixture.deliver(handlers, event);
    }

    @Test
    void theRowIsDoneWhenAllHandlersAre() {
        assertThat(deliver()).isEqualTo(new RowOutcome.Done());

        assertThat(calls).containsExactly("mail", "stock");
        assertThat(fixture.tracker.progressOf(event.eventId()))
                .as("the row says it")
                .isEmpty();
    }

    @Test
    void theOneThatSucceededIsNotCalledAgainWhenAnotherFailed() {
        mailFailure = new IllegalStateException("smtp down");

        assertThat(deliver()).isInstanceOfSatisfying(RowOutcome.Retry.class, retry -> {
            assertThat(retry.delay()).isEqualTo(Duration.ofSeconds(1));
            assertThat(retry.error()).contains("'mail' failed, attempt 1 of 3").contains("smtp down");
        });
        assertThat(calls).containsExactly("mail", "stock");

        mailFailure = null;
        fixture.clock.advance(Duration.ofSeconds(1));
        assertThat(deliver()).isEqualTo(new RowOutcome.Done());
        assertThat(calls).containsExactly("mail");
    }

    @Test
    void stateAndLastErrorOfEachHandlerAreVisible() {
        stockFailure = new IllegalStateException("no connection");
        deliver();

        assertThat(fixture.progress(event, "mail").state()).isEqualTo(HandlerState.DONE);
        HandlerProgress stock = fixture.progress(event, "stock");
        assertThat(stock.state()).isEqualTo(HandlerState.RETRY);
        assertThat(stock.attempts()).isEqualTo(1);
        assertThat(stock.dueIn()).isEqualTo(Duration.ofSeconds(30));
        assertThat(stock.lastError()).contains("IllegalStateException: no connection");
    }

    @Test
    void theRowComesBackForTheEarliestHandlerAndTheOtherKeepsItsOwnTime() {
        mailFailure = new IllegalStateException("smtp down");
        stockFailure = new IllegalStateException("locked");
        assertThat(((RowOutcome.Retry) deliver()).delay()).isEqualTo(Duration.ofSeconds(1));

        fixture.clock.advance(Duration.ofSeconds(1));
        mailFailure = null;
        RowOutcome second = deliver();

        assertThat(calls).containsExactly("mail");
        assertThat(((RowOutcome.Retry) second).delay()).isEqualTo(Duration.ofSeconds(29));
        assertThat(fixture.progress(event, "stock").attempts()).isEqualTo(1);

        fixture.clock.advance(Duration.ofSeconds(29));
        stockFailure = null;
        assertThat(deliver()).isEqualTo(new RowOutcome.Done());
        assertThat(calls).containsExactly("stock");
    }

    @Test
    @DisplayName("T6: a handler gives up at its own limit, the others go on, then the row is dead")
    void aHandlerGivesUpAtItsOwnLimitAndTheRowIsDeadWhenNoOtherIsLeft() {
        mailFailure = new IllegalStateException("smtp down");
        stockFailure = new IllegalStateException("locked");
        deliver();
        for (int pass = 0; pass < 2; pass++) {
            fixture.clock.advance(Duration.ofSeconds(1));
            deliver();
        }
        assertThat(fixture.progress(event, "mail").state()).isEqualTo(HandlerState.DEAD);
        assertThat(fixture.progress(event, "stock").attempts()).isEqualTo(1);

        stockFailure = null;
        fixture.clock.advance(Duration.ofSeconds(30));
        assertThat(deliver())
                .isInstanceOfSatisfying(
                        RowOutcome.Dead.class,
                        dead -> assertThat(dead.error())
                                .contains("'mail' is dead after attempt 3")
                                .contains("smtp down"));
        assertThat(calls).containsExactly("stock");
    }

    @Test
    void aReplayTriesOnlyThoseThatGaveUpAndGivesThemFreshAttempts() {
        mailFailure = new IllegalArgumentException("no such customer");
        assertThat(deliver()).isInstanceOf(RowOutcome.Dead.class);
        assertThat(calls).containsExactly("mail", "stock");

        mailFailure = new IllegalStateException("smtp down");
        assertThat(deliver()).isInstanceOf(RowOutcome.Retry.class);
        assertThat(calls).containsExactly("mail");
        assertThat(fixture.progress(event, "mail").attempts()).isEqualTo(1);

        mailFailure = null;
        fixture.clock.advance(Duration.ofSeconds(1));
        assertThat(deliver()).isEqualTo(new RowOutcome.Done());
        assertThat(calls).containsExactly("mail");
    }

    @Test
    @DisplayName("P7: a business error is dead at once, a system error is retried")
    void aBusinessErrorIsDeadAtOnceAndASystemErrorIsRetried() {
        mailFailure = new IllegalArgumentException("no such customer");
        assertThat(deliver()).isInstanceOf(RowOutcome.Dead.class);
        assertThat(fixture.progress(event, "mail").state()).isEqualTo(HandlerState.DEAD);
        assertThat(fixture.progress(event, "mail").attempts()).isEqualTo(1);

        EventEnvelope other = fixture.envelope(new OrderPlaced("43", 1));
        mailFailure = new java.util.concurrent.TimeoutException("slow");
        assertThat(fixture.deliver(handlers, other)).isInstanceOf(RowOutcome.Retry.class);
    }

    @Test
    void aHandlerMaySayWhenToComeBack() {
        mailFailure = new RetryAfterException(Duration.ofMinutes(10), "quota");

        assertThat(((RowOutcome.Retry) deliver()).delay()).isEqualTo(Duration.ofMinutes(10));
        assertThat(fixture.progress(event, "mail").dueIn()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void aHandlerThatCouldNotBeginComesBackWithoutAnAttempt() {
        mailFailure = new NotNowException(Duration.ofSeconds(7), "cache is away");

        assertThat(((RowOutcome.Retry) deliver()).delay()).isEqualTo(Duration.ofSeconds(7));
        assertThat(fixture.progress(event, "mail").state()).isEqualTo(HandlerState.PENDING);

        mailFailure = null;
        assertThat(deliver()).isEqualTo(new RowOutcome.Done());
        assertThat(calls).containsExactly("mail");
    }

    @Test
    void anEventOfANewerReleaseComesBackWithoutAnAttempt() {
        EventEnvelope newer = EventEnvelope.builder("order.placed")
                .headers(Map.of(EventHeaders.VERSION, "3"))
                .payloadJson("{}")
                .build();

        assertThat(fixture.deliver(handlers, newer)).isInstanceOf(RowOutcome.Retry.class);

        assertThat(fixture.tracker.progressOf(newer.eventId())).isEmpty();
        assertThat(calls).isEmpty();
    }

    @Test
    void aResetHandlerIsCalledAgain() {
        mailFailure = new IllegalArgumentException("no address");
        deliver();
        fixture.tracker.reset(event.eventId(), "stock");

        deliver();

        assertThat(calls).containsExactly("stock");
    }

    @Test
    void whatIsConsumedStaysConsumedWhateverALateNodeReports() {
        fixture.tracker.record(List.of(
                new HandlerOutcome(event.eventId(), "mail", HandlerState.RETRY, 1, Duration.ZERO, "smtp down")));
        deliver();
        fixture.tracker.record(List.of(
                new HandlerOutcome(event.eventId(), "mail", HandlerState.RETRY, 9, Duration.ofHours(1), "late")));

        assertThat(fixture.progress(event, "mail").state()).isEqualTo(HandlerState.DONE);
        assertThat(deliver()).isEqualTo(new RowOutcome.Done());
        assertThat(calls).isEmpty();
    }
}
