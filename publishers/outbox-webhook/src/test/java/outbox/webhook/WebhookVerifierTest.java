package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.testing.ManualClock;

class WebhookVerifierTest {
    private static final byte[] BODY = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);

    private final ManualClock clock = new ManualClock();
    private final WebhookSecret secret = WebhookSecret.generate();
    private final WebhookVerifier verifier = WebhookVerifier.of(secret).withClock(clock);

    private Map<String, String> signedBy(WebhookSecret... secrets) {
        String timestamp = Long.toString(clock.instant().getEpochSecond());
        Map<String, String> headers = new HashMap<>();
        headers.put("webhook-id", "01EVENT");
        headers.put("webhook-timestamp", timestamp);
        headers.put("webhook-signature", WebhookSignature.header(List.of(secrets), "01EVENT", timestamp, BODY));
        return headers;
    }

    private void refused(WebhookVerifier verifier, Map<String, String> headers, byte[] body, String message) {
        assertThatThrownBy(() -> verifier.verify(headers::get, body))
                .isInstanceOf(WebhookVerificationException.class)
                .hasMessageContaining(message);
    }

    @Test
    void aGenuineRequestGivesItsEventId() throws Exception {
        assertThat(verifier.verify(signedBy(secret)::get, BODY)).isEqualTo("01EVENT");
    }

    @Test
    void aReplayIsAcceptedForFiveMinutesAndNotLonger() throws Exception {
        Map<String, String> headers = signedBy(secret);
        clock.advance(Duration.ofMinutes(5));
        assertThat(verifier.verify(headers::get, BODY)).isEqualTo("01EVENT");
        clock.advance(Duration.ofSeconds(1));
        refused(verifier, headers, BODY, "ago");
        assertThat(verifier.withTolerance(Duration.ofMinutes(10)).verify(headers::get, BODY))
                .isEqualTo("01EVENT");
    }

    @Test
    void aRequestFromTheFutureIsRefused() {
        Map<String, String> headers = signedBy(secret);
        clock.advance(Duration.ofMinutes(-6));
        refused(verifier, headers, BODY, "from now");
    }

    @Test
    void whateverChangesBreaksTheSignature() {
        byte[] longer = "{\"a\":1} ".getBytes(StandardCharsets.UTF_8);
        refused(verifier, signedBy(secret), longer, "no signature");
        Map<String, String> otherId = signedBy(secret);
        otherId.put("webhook-id", "02EVENT");
        refused(verifier, otherId, BODY, "no signature");
        Map<String, String> fresher = signedBy(secret);
        fresher.put("webhook-timestamp", Long.toString(clock.instant().getEpochSecond() + 1));
        refused(verifier, fresher, BODY, "no signature");
        refused(verifier, signedBy(WebhookSecret.generate()), BODY, "no signature");
    }

    @Test
    void whileASecretChangesOldAndNewAreGoodOnBothSides() throws Exception {
        WebhookSecret next = WebhookSecret.generate();
        assertThat(verifier.verify(signedBy(next, secret)::get, BODY)).isEqualTo("01EVENT");
        WebhookVerifier both = WebhookVerifier.of(next, secret).withClock(clock);
        assertThat(both.verify(signedBy(secret)::get, BODY)).isEqualTo("01EVENT");
        assertThat(both.verify(signedBy(next)::get, BODY)).isEqualTo("01EVENT");
        refused(verifier, signedBy(next), BODY, "no signature");
    }

    @Test
    void signaturesOfOtherSchemesAreLeftAlone() throws Exception {
        Map<String, String> headers = signedBy(secret);
        String own = headers.get("webhook-signature");
        headers.put("webhook-signature", "v1a,AAAA v2,BBBB v1,*** v1, " + own);
        assertThat(verifier.verify(headers::get, BODY)).isEqualTo("01EVENT");
        headers.put("webhook-signature", own.replace("v1,", "v2,"));
        refused(verifier, headers, BODY, "no signature");
    }

    @Test
    void aMissingOrBrokenHeaderIsNamed() {
        for (String name : List.of("webhook-id", "webhook-timestamp", "webhook-signature")) {
            Map<String, String> headers = signedBy(secret);
            headers.remove(name);
            refused(verifier, headers, BODY, name);
        }
        for (String time : List.of("now", "-1", "1.5", "99999999999999999999", "0x10")) {
            Map<String, String> headers = signedBy(secret);
            headers.put("webhook-timestamp", time);
            refused(verifier, headers, BODY, "webhook-timestamp");
        }
        Map<String, String> headers = signedBy(secret);
        headers.put("webhook-id", "01.EVENT");
        refused(verifier, headers, BODY, "webhook-id");
    }

    @Test
    void aVerifierWithoutSecretsIsRefused() {
        assertThatThrownBy(WebhookVerifier::of).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> verifier.withTolerance(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }
}
