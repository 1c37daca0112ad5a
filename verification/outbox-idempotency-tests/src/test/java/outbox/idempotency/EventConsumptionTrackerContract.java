package outbox.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.handler.HandlerState;
import outbox.util.Ulid;

/** What every tracker must do. */
@DisplayName("T3 consumption per handler and event")
public abstract class EventConsumptionTrackerContract {
    private final String event = Ulid.next();

    protected abstract EventConsumptionTracker tracker();

    /** In a transaction of the outbox's database, where the tracker is in one. */
    protected abstract void retryNow(String eventId) throws Exception;

    private HandlerOutcome retry(String handler, int attempts, Duration delay, String error) {
        return new HandlerOutcome(event, handler, HandlerState.RETRY, attempts, delay, error);
    }

    private HandlerOutcome done(String handler, int attempts) {
        return new HandlerOutcome(event, handler, HandlerState.DONE, attempts, Duration.ZERO, null);
    }

    private HandlerProgress only() {
        List<HandlerProgress> progress = tracker().progressOf(event);
        assertThat(progress).hasSize(1);
        return progress.get(0);
    }

    @Test
    void nothingIsKnownOfANewEvent() {
        tracker().verify();
        assertThat(tracker().progressOf(event)).isEmpty();
    }

    @Test
    void progressOfManyEventsIsReadAtOnce() {
        List<String> events = Stream.generate(Ulid::next).limit(700).toList();
        List<HandlerOutcome> outcomes = new ArrayList<>();
        for (String one : events.subList(0, 600)) {
            outcomes.add(new HandlerOutcome(one, "stock", HandlerState.DONE, 1, Duration.ZERO, null));
        }
        String last = events.get(599);
        outcomes.add(new HandlerOutcome(last, "mail", HandlerState.RETRY, 1, Duration.ofHours(1), "smtp down"));
        tracker().record(outcomes);

        Map<String, List<HandlerProgress>> progress = tracker().progressOf(events);

        assertThat(events.subList(0, 599))
                .allSatisfy(one -> assertThat(progress.get(one))
                        .extracting(HandlerProgress::eventId, HandlerProgress::handler, HandlerProgress::state)
                        .containsExactly(tuple(one, "stock", HandlerState.DONE)));
        assertThat(progress.get(last))
                .extracting(HandlerProgress::handler, HandlerProgress::attempts, HandlerProgress::lastError)
                .containsExactlyInAnyOrder(tuple("stock", 1, null), tuple("mail", 1, "smtp down"));
        assertThat(events.subList(600, 700))
                .allSatisfy(
                        one -> assertThat(progress.getOrDefault(one, List.of())).isEmpty());
        assertThat(tracker().progressOf(List.of())).isEmpty();
    }

    @Test
    void aBatchChangesWhatExistsAndNotWhatIsDone() {
        String other = Ulid.next();
        tracker().record(List.of(retry("mail", 1, Duration.ofHours(1), "smtp down"), done("stock", 1)));

        tracker()
                .record(List.of(
                        done("mail", 1),
                        retry("stock", 1, Duration.ofHours(1), "late"),
                        new HandlerOutcome(other, "mail", HandlerState.DONE, 1, Duration.ZERO, null)));

        assertThat(tracker().progressOf(event))
                .extracting(HandlerProgress::state)
                .containsExactly(HandlerState.DONE, HandlerState.DONE);
        assertThat(tracker().progressOf(other)).hasSize(1);
    }

    @Test
    void eachHandlerHasAStateOfItsOwn() {
        tracker().record(List.of(done("stock", 1), retry("mail", 1, Duration.ofMinutes(5), "smtp|down\nat 1")));

        assertThat(tracker().progressOf(event))
                .extracting(HandlerProgress::handler, HandlerProgress::state)
                .containsExactlyInAnyOrder(tuple("mail", HandlerState.RETRY), tuple("stock", HandlerState.DONE));
        HandlerProgress mail = tracker().progressOf(event).stream()
                .filter(progress -> progress.handler().equals("mail"))
                .findFirst()
                .orElseThrow();
        assertThat(mail.attempts()).isEqualTo(1);
        assertThat(mail.lastError()).isEqualTo("smtp|down\nat 1");
        assertThat(mail.dueIn()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
        assertThat(mail.updatedAt())
                .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
    }

    @Test
    void aHandlerIsDueWhenItsTimeHasCome() {
        tracker().record(List.of(retry("mail", 1, Duration.ZERO, "smtp down")));

        assertThat(only().dueIn()).isZero();
    }

    @Test
    void aLaterOutcomeReplacesAnEarlierOne() {
        tracker().record(List.of(retry("mail", 1, Duration.ofMinutes(5), "first")));
        tracker().record(List.of(retry("mail", 2, Duration.ZERO, "second")));

        assertThat(only().attempts()).isEqualTo(2);
        assertThat(only().lastError()).isEqualTo("second");
    }

    @Test
    void whatIsRetriedIsDueNowAndWhatGaveUpBeginsAgain() throws Exception {
        tracker()
                .record(List.of(
                        done("stock", 1),
                        retry("mail", 3, Duration.ofHours(1), "smtp down"),
                        new HandlerOutcome(event, "crm", HandlerState.DEAD, 5, Duration.ZERO, "gone")));

        retryNow(event);

        assertThat(tracker().progressOf(event))
                .allSatisfy(progress -> assertThat(progress.dueIn()).isZero())
                .extracting(HandlerProgress::handler, HandlerProgress::state, HandlerProgress::attempts)
                .containsExactlyInAnyOrder(
                        tuple("stock", HandlerState.DONE, 1),
                        tuple("mail", HandlerState.RETRY, 3),
                        tuple("crm", HandlerState.RETRY, 0));
        assertThat(tracker().progressOf(event).stream().map(HandlerProgress::lastError))
                .contains("smtp down", "gone");
    }

    @Test
    void aSuccessKeepsTheLastError() {
        tracker().record(List.of(retry("mail", 1, Duration.ZERO, "smtp down")));
        tracker().record(List.of(done("mail", 2)));

        assertThat(only().state()).isEqualTo(HandlerState.DONE);
        assertThat(only().attempts()).isEqualTo(2);
        assertThat(only().lastError()).isEqualTo("smtp down");
    }

    @Test
    void doneIsFinal() {
        tracker().record(List.of(done("mail", 1)));
        tracker().record(List.of(retry("mail", 1, Duration.ofHours(1), "late")));
        tracker().record(List.of(retry("mail", 7, Duration.ofHours(1), "later")));

        assertThat(only().state()).isEqualTo(HandlerState.DONE);
        assertThat(only().lastError()).isNull();
    }

    @Test
    void aResetForgets() {
        tracker().record(List.of(done("mail", 1)));

        tracker().reset(event, "mail");

        assertThat(tracker().progressOf(event)).isEmpty();
    }

    @Test
    void namesThatFailedAndHaveNotSucceededSinceAreOpen() {
        tracker()
                .record(List.of(
                        done("open-1-done", 1),
                        retry("open-2-retry", 1, Duration.ZERO, "x"),
                        new HandlerOutcome(event, "open-3-dead", HandlerState.DEAD, 3, Duration.ZERO, "x"),
                        retry("open-4-later-done", 1, Duration.ZERO, "x")));
        tracker().record(List.of(done("open-4-later-done", 2)));

        assertThat(tracker().openHandlers())
                .contains("open-2-retry", "open-3-dead")
                .doesNotContain("open-1-done", "open-4-later-done");

        tracker().reset(event, "open-2-retry");
        assertThat(tracker().openHandlers()).doesNotContain("open-2-retry");
    }

    @Test
    void errorsOfAnySortAreStored() {
        String error = "\u0000nul \ud83d half \ud83d\ude00 whole ünïcödé | pipe " + "x".repeat(5_000);

        tracker().record(List.of(retry("mail", 1, Duration.ZERO, error)));

        assertThat(only().lastError()).contains("ünïcödé | pipe");
    }
}
