package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.domain.handler.HandlerFixture.RowOutcome;
import outbox.domain.sample.OrderPlaced;

class RenamedHandlerTest {
    private final HandlerFixture fixture = new HandlerFixture();
    private final List<String> calls = new ArrayList<>();
    private final EventEnvelope event = fixture.envelope(new OrderPlaced("42", 100));

    class Before {
        @EventHandler(name = "mail")
        void mail(OrderPlaced event) {
            throw new IllegalStateException("smtp down");
        }

        @EventHandler(name = "stock")
        void stock(OrderPlaced event) {
            calls.add("stock");
        }
    }

    class Renamed {
        @EventHandler(name = "letters")
        void mail(OrderPlaced event) {
            calls.add("letters");
        }

        @EventHandler(name = "warehouse")
        void stock(OrderPlaced event) {
            calls.add("warehouse");
        }
    }

    class RenamedWithCare {
        @EventHandler(name = "letters", formerNames = "mail")
        void mail(OrderPlaced event) {
            calls.add("letters");
        }

        @EventHandler(
                name = "warehouse",
                formerNames = {"stock", "store"})
        void stock(OrderPlaced event) {
            calls.add("warehouse");
        }
    }

    @BeforeEach
    void oneFailedUnderItsOldName() {
        fixture.deliver(fixture.handlers(new Before()).build(), event);
        fixture.clock.advance(Duration.ofHours(1));
        calls.clear();
    }

    @Test
    void aStoredNameNobodyHandlesIsReportedAtTheStart() {
        assertThat(fixture.handlers(new Renamed()).build().unknownHandlers()).containsExactly("mail");
        assertThat(fixture.handlers(new RenamedWithCare()).build().unknownHandlers())
                .isEmpty();
        assertThat(fixture.handlers(new Renamed()).retired("mail").build().unknownHandlers())
                .isEmpty();
    }

    @Test
    void anEventThatWaitsForANameNobodyHandlesEndsDeadAndNotDone() {
        EventHandlers handlers = fixture.handlers(new Renamed()).build();

        assertThat(fixture.deliver(handlers, event))
                .isInstanceOfSatisfying(
                        RowOutcome.Dead.class,
                        dead -> assertThat(dead.error())
                                .contains("'mail'")
                                .contains("formerNames = \"mail\"")
                                .contains("retired(\"mail\")"));
        assertThat(fixture.deliver(handlers, event)).isInstanceOf(RowOutcome.Dead.class);
        assertThat(calls).containsExactly("letters", "warehouse");
    }

    @Test
    void aFormerNameGivesAHandlerItsPast() {
        EventHandlers handlers = fixture.handlers(new RenamedWithCare()).build();

        assertThat(fixture.deliver(handlers, event)).isEqualTo(new RowOutcome.Done());

        assertThat(calls).containsExactly("letters");
    }

    @Test
    void attemptsUnderAFormerNameCount() {
        class Failing {
            @EventHandler(name = "letters", formerNames = "mail", maxAttempts = 2)
            void mail(OrderPlaced event) {
                throw new IllegalStateException("still down");
            }
        }
        EventHandlers handlers =
                fixture.handlers(new Failing()).retired("stock").build();

        assertThat(fixture.deliver(handlers, event))
                .isInstanceOfSatisfying(
                        RowOutcome.Dead.class, dead -> assertThat(dead.error()).contains("attempt 2 of 2"));
    }

    @Test
    void aHandlerThatIsAloneAndWasRenamedWithoutCareIsNotCalledAgainAfterTheReplay() {
        class Alone {
            @EventHandler(name = "mail")
            void mail(OrderPlaced event) {
                throw new IllegalStateException("smtp down");
            }
        }
        class Letters {
            @EventHandler(name = "letters")
            void mail(OrderPlaced event) {
                calls.add("letters");
            }
        }
        class LettersWithCare {
            @EventHandler(name = "letters", formerNames = "mail")
            void mail(OrderPlaced event) {
                calls.add("letters again");
            }
        }
        EventEnvelope alone = fixture.envelope(new OrderPlaced("43", 100));
        fixture.deliver(fixture.handlers(new Alone()).build(), alone);
        fixture.clock.advance(Duration.ofHours(1));

        assertThat(fixture.deliver(fixture.handlers(new Letters()).build(), alone))
                .isInstanceOf(RowOutcome.Dead.class);
        assertThat(fixture.deliver(fixture.handlers(new LettersWithCare()).build(), alone))
                .isEqualTo(new RowOutcome.Done());

        assertThat(calls).containsExactly("letters");
    }

    @Test
    void aRetiredNameIsNotWaitedFor() {
        EventHandlers handlers = fixture.handlers(new Renamed()).retired("mail").build();

        assertThat(fixture.deliver(handlers, event)).isEqualTo(new RowOutcome.Done());
    }
}
