package outbox.idempotency.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.domain.handler.NotNowException;
import outbox.testing.server.EmbeddedRedis;
import outbox.util.Ulid;

class RedisReceiveGuardIT {
    private static OutboxRedis redis;

    private final String message = Ulid.next();
    private final List<String> worked = new ArrayList<>();

    @BeforeAll
    static void connect() {
        redis = OutboxRedis.connect(EmbeddedRedis.shared(), Duration.ofSeconds(30));
    }

    @AfterAll
    static void disconnect() {
        redis.close();
    }

    private final RedisReceiveGuard inbox = new RedisReceiveGuard(redis.commands());

    @Test
    void theWorkOfAMessageIsDoneOncePerHandler() throws Exception {
        assertThat(inbox.once(message, "invoice", () -> worked.add("invoice"))).isTrue();
        assertThat(inbox.once(message, "invoice", () -> worked.add("invoice"))).isFalse();
        assertThat(inbox.once(message, "mail", () -> worked.add("mail"))).isTrue();

        assertThat(worked).containsExactly("invoice", "mail");
    }

    @Test
    void aMessageWhoseWorkFailedIsWorkedAgain() throws Exception {
        assertThatThrownBy(() -> inbox.once(message, "invoice", () -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");

        assertThat(inbox.once(message, "invoice", () -> worked.add("invoice"))).isTrue();
    }

    @Test
    void aMessageThatIsBeingWorkedIsNotWorkedASecondTime() throws Exception {
        inbox.once(
                message,
                "invoice",
                () -> assertThatThrownBy(() -> inbox.once(message, "invoice", () -> worked.add("twice")))
                        .isInstanceOf(NotNowException.class)
                        .hasMessageContaining("another process is working on message " + message));

        assertThat(worked).isEmpty();
    }

    @Test
    void aClaimWhoseOwnerDiedEndsByItself() throws Exception {
        RedisClaims claims = new RedisClaims(redis.commands(), Duration.ofMillis(30), Duration.ofHours(1));
        String key = "outbox:inbox:invoice:" + message;
        RedisClaims.Claim.Granted dead = (RedisClaims.Claim.Granted) claims.claim(key);
        await().atMost(Duration.ofMinutes(1)).until(() -> redis.commands().get(key) == null);
        RedisClaims.Claim.Granted alive = (RedisClaims.Claim.Granted)
                new RedisClaims(redis.commands(), Duration.ofHours(1), Duration.ofHours(1)).claim(key);

        claims.release(key, dead.token());
        assertThat(redis.commands().get(key)).isEqualTo(alive.token());
    }

    @Test
    void aMessageIdThatIsTooLongIsRefusedBeforeAnyWork() {
        assertThatThrownBy(() -> inbox.once("x".repeat(129), "invoice", () -> worked.add("x")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(worked).isEmpty();
    }
}
