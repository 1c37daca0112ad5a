package outbox.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.dead.FailedEvents;
import outbox.model.OutboxEvent;
import outbox.testing.ManualClock;

class FailedEventNoticeTest {
    private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final List<AlertMessage> sent = new ArrayList<>();
    private final FailedEventNotice notice = new FailedEventNotice("orders", sent::add, Duration.ofHours(4), clock);

    @Test
    void peopleHearOfMoreDeadEventsAndAreRemindedNotFlooded() {
        notice.failed(dead(2));
        notice.failed(dead(2));
        clock.advance(Duration.ofMinutes(30));
        notice.failed(dead(2));
        assertThat(sent).hasSize(1);
        notice.failed(dead(3));
        assertThat(sent).hasSize(2);
        clock.advance(Duration.ofHours(4));
        notice.failed(dead(3));
        assertThat(sent).hasSize(3);
        notice.failed(dead(1));
        notice.failed(dead(2));
        assertThat(sent).hasSize(4);
        assertThat(sent.get(1).title()).isEqualTo("[orders] 3 dead event(s) wait for a person");
        assertThat(sent.get(1).text())
                .contains("OrderPlaced")
                .contains("oldest: id-1")
                .contains("what to do: docs/runbooks/dead-letters.md")
                .doesNotContain("secret");
    }

    @Test
    void afterAllWereReplayedTheNextThatDieAreNews() {
        notice.failed(dead(5));
        notice.noneFailed();
        notice.failed(dead(3));
        assertThat(sent).hasSize(3);
        assertThat(sent.get(2).title()).contains("3 dead");
    }

    @Test
    void theRecoveryOfWhatWasReportedIsSentOnce() {
        notice.noneFailed();
        assertThat(sent).as("nothing was reported before").isEmpty();
        notice.failed(dead(5));
        notice.failed(dead(1));
        notice.noneFailed();
        notice.noneFailed();
        assertThat(sent)
                .extracting(AlertMessage::kind)
                .containsExactly(AlertMessage.Kind.PROBLEM, AlertMessage.Kind.RECOVERY);
        assertThat(sent.get(1).title()).isEqualTo("[orders] no dead events are left");
    }

    @Test
    void aRecoveryThatCouldNotBeSentIsTriedAgain() {
        List<AlertMessage.Kind> tries = new ArrayList<>();
        FailedEventNotice unsteady = new FailedEventNotice("orders", message -> {
            tries.add(message.kind());
            if (tries.size() == 2) {
                throw new IOException("away");
            }
        });
        unsteady.failed(dead(1));
        assertThatThrownBy(unsteady::noneFailed).isInstanceOf(UncheckedIOException.class);
        unsteady.noneFailed();
        unsteady.noneFailed();
        assertThat(tries)
                .containsExactly(AlertMessage.Kind.PROBLEM, AlertMessage.Kind.RECOVERY, AlertMessage.Kind.RECOVERY);
    }

    @Test
    void eachOfSeveralOutboxesHasAMemoryOfItsOwn() {
        FailedEventNotice orders = notice.forOutbox("orders-db");
        FailedEventNotice billing = notice.forOutbox("billing-db");
        for (int look = 0; look < 3; look++) {
            orders.failed(dead(2));
            billing.failed(dead(1));
        }
        assertThat(sent)
                .extracting(AlertMessage::title)
                .containsExactly(
                        "[orders / orders-db] 2 dead event(s) wait for a person",
                        "[orders / billing-db] 1 dead event(s) wait for a person");
    }

    @Test
    void aChannelThatFailsIsTriedAgain() {
        List<String> tries = new ArrayList<>();
        FailedEventNotice broken = new FailedEventNotice("orders", message -> {
            tries.add(message.title());
            throw new IOException("away");
        });
        assertThatThrownBy(() -> broken.failed(dead(1))).isInstanceOf(UncheckedIOException.class);
        assertThatThrownBy(() -> broken.failed(dead(1))).isInstanceOf(UncheckedIOException.class);
        assertThat(tries).hasSize(2);
    }

    private static FailedEvents dead(int count) {
        return new FailedEvents(
                count,
                List.of(new OutboxEvent(
                        "id-1", "OrderPlaced", "Order", "1", null, "{\"secret\":1}", null, 3, Instant.EPOCH)),
                null);
    }
}
