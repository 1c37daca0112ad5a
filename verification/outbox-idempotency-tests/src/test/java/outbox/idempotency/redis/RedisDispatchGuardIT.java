package outbox.idempotency.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.domain.handler.NotNowException;
import outbox.testing.server.EmbeddedRedis;

@DisplayName("W8 guard against double sending")
class RedisDispatchGuardIT {
    private static EmbeddedRedis server;
    private static OutboxRedis redis;

    private final EventEnvelope event = EventEnvelope.ofJson("order.placed", "{}");
    private final List<String> sent = new ArrayList<>();

    @BeforeAll
    static void connect() {
        server = EmbeddedRedis.launch();
        redis = OutboxRedis.connect(server.uri(), Duration.ofSeconds(10));
    }

    @AfterAll
    static void disconnect() {
        redis.close();
        server.close();
    }

    private final RedisDispatchGuard guard = new RedisDispatchGuard(redis.commands());

    @Test
    void anEventIsSentOnceAndRememberedForADay() throws Exception {
        EventListener once = guard.guard(e -> sent.add(e.eventId()));

        once.onEvent(event);
        once.onEvent(event);

        assertThat(sent).containsExactly(event.eventId());
        assertThat(Duration.ofMillis(redis.commands().pttl("outbox:dispatched:" + event.eventId())))
                .isBetween(Duration.ofHours(23), Duration.ofHours(24));
    }

    @Test
    void eachOfSeveralListenersSendsItOnce() throws Exception {
        EventListener kafka = guard.guard("kafka", e -> sent.add("kafka"));
        EventListener crm = guard.guard("crm", e -> sent.add("crm"));

        kafka.onEvent(event);
        crm.onEvent(event);
        kafka.onEvent(event);

        assertThat(sent).containsExactly("kafka", "crm");
    }

    @Test
    void aListenerThatAnswersLaterIsGuardedUntilItsAnswer() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        AsyncEventListener once = (AsyncEventListener) guard.guard("crm", (AsyncEventListener) e -> {
            sent.add(e.eventId());
            return answer;
        });

        CompletableFuture<?> first = once.onEventAsync(event).toCompletableFuture();
        assertThatThrownBy(() -> once.onEventAsync(event)).isInstanceOf(NotNowException.class);
        answer.complete("204");
        first.join();
        once.onEventAsync(event).toCompletableFuture().join();

        assertThat(sent).hasSize(1);
    }

    @Test
    void anAnswerThatIsAFailureLetsItBeSentAgain() throws Exception {
        AsyncEventListener failing = (AsyncEventListener)
                guard.guard("crm", (AsyncEventListener) e -> CompletableFuture.failedFuture(new IOException("503")));

        assertThatThrownBy(
                        () -> failing.onEventAsync(event).toCompletableFuture().join())
                .hasRootCauseInstanceOf(IOException.class);
        guard.guard("crm", e -> sent.add(e.eventId())).onEvent(event);

        assertThat(sent).hasSize(1);
    }

    @Test
    void anEventThatCouldNotBeSentIsSentTheNextTime() throws Exception {
        assertThatThrownBy(() -> guard.guard(e -> {
                            throw new IOException("503");
                        })
                        .onEvent(event))
                .isInstanceOf(IOException.class);

        guard.guard(e -> sent.add(e.eventId())).onEvent(event);

        assertThat(sent).hasSize(1);
    }

    @Test
    void anEventThatIsBeingSentIsNotSentASecondTime() throws Exception {
        EventListener inner = guard.guard(e -> sent.add("inner"));

        guard.guard(e -> {
                    assertThatThrownBy(() -> inner.onEvent(event)).isInstanceOf(NotNowException.class);
                    sent.add("outer");
                })
                .onEvent(event);

        assertThat(sent).containsExactly("outer");
    }

    @Test
    void whileRedisIsAwayNothingIsSentAndWhatWasSentStaysSent() throws Exception {
        EventListener goesAwayMeanwhile = guard.guard(e -> {
            server.kill();
            sent.add("sent");
        });
        goesAwayMeanwhile.onEvent(event);
        assertThat(sent).containsExactly("sent");

        assertThatThrownBy(() -> guard.guard(e -> sent.add("again")).onEvent(EventEnvelope.ofJson("x", "{}")))
                .isInstanceOf(NotNowException.class)
                .hasMessageContaining("Redis is unavailable");
        assertThat(sent).containsExactly("sent");

        server.start();
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
            guard.guard(e -> sent.add("back")).onEvent(EventEnvelope.ofJson("x", "{}"));
            return true;
        });
        assertThat(sent).containsExactly("sent", "back");
    }
}
