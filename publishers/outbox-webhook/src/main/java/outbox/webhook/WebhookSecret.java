package outbox.webhook;

import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret shared by sender and receiver of a webhook, written as {@code whsec_} and Base64 as in the Standard
 * Webhooks specification. It never appears in messages or logs. Immutable and thread-safe.
 */
public final class WebhookSecret {
    /** Minimum length in the specification. */
    public static final int MIN_BYTES = 24;
    /** Maximum length in the specification. */
    public static final int MAX_BYTES = 64;

    private static final String PREFIX = "whsec_";
    private static final String ALGORITHM = "HmacSHA256";
    private static final int GENERATED_BYTES = 32;

    private final byte[] key;

    private WebhookSecret(byte[] key) {
        if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
            throw new IllegalArgumentException("a webhook secret must have " + MIN_BYTES + " to " + MAX_BYTES
                    + " bytes, not " + key.length + "; create one with generate()");
        }
        this.key = key.clone();
    }

    /**
     * @param text {@code whsec_} and Base64; the prefix may be left out
     * @throws IllegalArgumentException if it is anything else; the message does not repeat the text
     */
    public static WebhookSecret parse(String text) {
        String base64 = text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
        byte[] decoded;
        try {
            decoded = Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("a webhook secret must be " + PREFIX + " followed by Base64");
        }
        return new WebhookSecret(decoded);
    }

    public static WebhookSecret ofBytes(byte[] key) {
        return new WebhookSecret(key);
    }

    /** Creates a random secret. */
    public static WebhookSecret generate() {
        byte[] key = new byte[GENERATED_BYTES];
        new SecureRandom().nextBytes(key);
        return new WebhookSecret(key);
    }

    /** The secret in its text form, to store it or to give it to the receiver. */
    public String reveal() {
        return PREFIX + Base64.getEncoder().encodeToString(key);
    }

    /**
     * The value of the header {@code webhook-signature}, for senders that create requests themselves.
     *
     * @param id the value of {@code webhook-id}: no dots, spaces or control characters
     * @param at the value of {@code webhook-timestamp}, in whole seconds
     */
    public String sign(String id, Instant at, byte[] body) {
        if (!WebhookSignature.isSignable(id)) {
            throw new IllegalArgumentException("an id must not contain dots, spaces or control characters: " + id);
        }
        return WebhookSignature.header(List.of(this), id, Long.toString(at.getEpochSecond()), body);
    }

    byte[] hmac(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WebhookSecret that && MessageDigest.isEqual(key, that.key);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(key);
    }

    /** Does not reveal the secret. */
    @Override
    public String toString() {
        return "WebhookSecret[hidden]";
    }
}
