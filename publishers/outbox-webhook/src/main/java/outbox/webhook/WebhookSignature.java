package outbox.webhook;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;

/** The signature of the Standard Webhooks specification: HMAC-SHA256 over {@code id.timestamp.body}. */
final class WebhookSignature {
    static final String ID_HEADER = "webhook-id";
    static final String TIMESTAMP_HEADER = "webhook-timestamp";
    static final String SIGNATURE_HEADER = "webhook-signature";
    /** The symmetric scheme; the header may contain signatures of other schemes too. */
    private static final String SCHEME = "v1,";

    private WebhookSignature() {}

    /** One signature per secret, separated by spaces, so that receivers can verify during rotation. */
    static String header(List<WebhookSecret> secrets, String id, String timestamp, byte[] body) {
        byte[] start = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
        return secrets.stream()
                .map(secret -> SCHEME + Base64.getEncoder().encodeToString(secret.hmac(start, body)))
                .collect(Collectors.joining(" "));
    }

    /** Whether the id can be signed: with a dot, the signed bytes would be ambiguous. */
    static boolean isSignable(String id) {
        return id.chars().allMatch(c -> c > 0x20 && c < 0x7f && c != '.');
    }
}
