package outbox.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Checks the signature against HMAC as RFC 2104 defines it, written out here on SHA-256 alone. */
class WebhookSignatureTest {
    @Test
    void equalsAnIndependentComputationForKeysAndBodiesOfAllSizes() throws Exception {
        Random random = new Random(7);
        for (int length = WebhookSecret.MIN_BYTES; length <= WebhookSecret.MAX_BYTES; length++) {
            byte[] key = new byte[length];
            random.nextBytes(key);
            byte[] body = new byte[random.nextInt(5000)];
            random.nextBytes(body);
            String expected = "v1,"
                    + Base64.getEncoder()
                            .encodeToString(
                                    hmac(key, concat("id-7.1700000000.".getBytes(StandardCharsets.UTF_8), body)));
            assertThat(WebhookSignature.header(List.of(WebhookSecret.ofBytes(key)), "id-7", "1700000000", body))
                    .isEqualTo(expected);
        }
    }

    @Test
    void isGivenOnceForEachSecret() {
        WebhookSecret old = WebhookSecret.generate();
        WebhookSecret current = WebhookSecret.generate();
        byte[] body = {1, 2, 3};
        assertThat(WebhookSignature.header(List.of(current, old), "id", "1", body))
                .isEqualTo(WebhookSignature.header(List.of(current), "id", "1", body) + " "
                        + WebhookSignature.header(List.of(old), "id", "1", body));
    }

    @Test
    void idsThatWouldBlurWhatIsSignedAreNotSigned() {
        assertThat(WebhookSignature.isSignable("01JD0000000000000000000000")).isTrue();
        assertThat(List.of("a.b", "a b", "a\r\nb", "ä", "\u0000")).noneMatch(WebhookSignature::isSignable);
    }

    private static byte[] hmac(byte[] key, byte[] message) throws Exception {
        byte[] padded = Arrays.copyOf(key, 64);
        return sha256(concat(xor(padded, 0x5c), sha256(concat(xor(padded, 0x36), message))));
    }

    private static byte[] xor(byte[] bytes, int with) {
        byte[] result = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            result[i] = (byte) (bytes[i] ^ with);
        }
        return result;
    }

    private static byte[] sha256(byte[] bytes) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(bytes);
    }

    private static byte[] concat(byte[] a, byte[] b) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(a);
        out.writeBytes(b);
        return out.toByteArray();
    }
}
