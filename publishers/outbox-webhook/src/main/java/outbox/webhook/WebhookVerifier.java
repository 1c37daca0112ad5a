package outbox.webhook;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * For receivers: verifies that a request was signed recently with a shared secret. A valid request may still arrive
 * twice; remember its id for at least as long as the sender retries.
 *
 * <pre>{@code
 * WebhookVerifier verifier = WebhookVerifier.of(WebhookSecret.parse(secretFromConfiguration));
 * String eventId = verifier.verify(request::getHeader, bodyBytes);
 * }</pre>
 *
 * <p>Immutable and thread-safe.
 */
public final class WebhookVerifier {
    /** Default tolerance for the timestamp of a request, in both directions. */
    public static final Duration DEFAULT_TOLERANCE = Duration.ofMinutes(5);

    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,12}");
    private static final int MAX_SIGNATURES = 32;

    private final List<WebhookSecret> secrets;
    private final Duration tolerance;
    private final InstantSource clock;

    private WebhookVerifier(List<WebhookSecret> secrets, Duration tolerance, InstantSource clock) {
        this.secrets = secrets;
        this.tolerance = tolerance;
        this.clock = clock;
    }

    /** @param secrets accepted secrets: the current one, and during rotation the other one too */
    public static WebhookVerifier of(WebhookSecret... secrets) {
        if (secrets.length == 0) {
            throw new IllegalArgumentException("a verifier needs at least one secret");
        }
        return new WebhookVerifier(List.of(secrets), DEFAULT_TOLERANCE, Clock.systemUTC());
    }

    /** The same with another tolerance. */
    public WebhookVerifier withTolerance(Duration tolerance) {
        if (tolerance.isNegative() || tolerance.isZero()) {
            throw new IllegalArgumentException("tolerance must be positive: " + tolerance);
        }
        return new WebhookVerifier(secrets, tolerance, clock);
    }

    /** The same with another clock. */
    public WebhookVerifier withClock(InstantSource clock) {
        return new WebhookVerifier(secrets, tolerance, Objects.requireNonNull(clock, "clock"));
    }

    /**
     * @param headers the value of a header by its lower-case name, {@code null} if there is none
     * @param body the raw bytes, before any parsing
     * @return the id of the event, the same on every attempt
     * @throws WebhookVerificationException if the request is not authentic, too old, or from the future
     */
    public String verify(Function<String, @Nullable String> headers, byte[] body) throws WebhookVerificationException {
        String id = required(headers, WebhookSignature.ID_HEADER);
        String timestamp = required(headers, WebhookSignature.TIMESTAMP_HEADER);
        String signature = required(headers, WebhookSignature.SIGNATURE_HEADER);
        if (!WebhookSignature.isSignable(id)) {
            throw new WebhookVerificationException(WebhookSignature.ID_HEADER + " is not an id");
        }
        checkTime(timestamp);
        if (!isSignedByOne(id, timestamp, body, signature)) {
            throw new WebhookVerificationException("no signature matches");
        }
        return id;
    }

    private static String required(Function<String, @Nullable String> headers, String name)
            throws WebhookVerificationException {
        String value = headers.apply(name);
        if (value == null || value.isBlank()) {
            throw new WebhookVerificationException("the header " + name + " is missing");
        }
        return value;
    }

    private void checkTime(String timestamp) throws WebhookVerificationException {
        if (!SECONDS.matcher(timestamp).matches()) {
            throw new WebhookVerificationException(WebhookSignature.TIMESTAMP_HEADER + " is not a number of seconds");
        }
        Instant sent = Instant.ofEpochSecond(Long.parseLong(timestamp));
        Duration age = Duration.between(sent, clock.instant());
        if (age.abs().compareTo(tolerance) > 0) {
            throw new WebhookVerificationException("the request was sent at " + sent + ", more than " + tolerance
                    + (age.isNegative() ? " from now; check both clocks" : " ago"));
        }
    }

    /** Compares all pairs in constant time, to prevent timing attacks. */
    private boolean isSignedByOne(String id, String timestamp, byte[] body, String header) {
        String[] given = header.split(" ", MAX_SIGNATURES); // signatures of other schemes never match
        boolean found = false;
        for (WebhookSecret secret : secrets) {
            byte[] expected = ascii(WebhookSignature.header(List.of(secret), id, timestamp, body));
            for (String signature : given) {
                found |= MessageDigest.isEqual(expected, ascii(signature));
            }
        }
        return found;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
