package outbox.idempotency.http;

import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * An answer that is stored as JSON with its key. Immutable.
 *
 * @param headers as they are sent, including the content type
 * @param content the body in Base64, or the reason of an {@link Kind#ERROR error}
 */
public record HttpAnswer(Kind kind, int status, Map<String, List<String>> headers, String content) {
    private static final int FIRST_SERVER_ERROR = 500;
    /** Not authenticated, not allowed, timed out, conflict with others, too early, too many requests. */
    private static final Set<Integer> TRY_AGAIN = Set.of(401, 403, 408, 409, 423, 425, 429);

    /** What is kept of the answer. */
    public enum Kind {
        /** Status, headers and body. */
        COMPLETE,
        /** Status, headers and reason; the body is made by the server's error page. */
        ERROR,
        /** The status alone: the body was too large, or a stream. */
        NOT_KEPT
    }

    public HttpAnswer {
        headers = Map.copyOf(headers);
    }

    public static HttpAnswer complete(int status, Map<String, List<String>> headers, byte[] body) {
        return new HttpAnswer(
                Kind.COMPLETE, status, headers, Base64.getEncoder().encodeToString(body));
    }

    public static HttpAnswer error(int status, Map<String, List<String>> headers, String reason) {
        return new HttpAnswer(Kind.ERROR, status, headers, reason);
    }

    public static HttpAnswer notKept(int status) {
        return new HttpAnswer(Kind.NOT_KEPT, status, Map.of(), "");
    }

    /**
     * Whether an answer with this status is kept. The others ask the client to come again, so its request runs again.
     */
    public static boolean isFinal(int status) {
        return status < FIRST_SERVER_ERROR && !TRY_AGAIN.contains(status);
    }

    /**
     * Which headers are kept.
     *
     * @param before those of the response before the controller, set by filters
     * @param after those of the answer
     * @param excluded further names that are not kept
     */
    public static Map<String, List<String>> headersToKeep(
            Map<String, List<String>> before, Map<String, List<String>> after, Set<String> excluded) {
        Map<String, List<String>> kept = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        after.forEach((name, values) -> {
            if (!NeverKept.contains(name) && !excluded.contains(name) && !values.equals(before.get(name))) {
                kept.put(name, List.copyOf(values));
            }
        });
        return kept;
    }

    /** The body of a {@link Kind#COMPLETE} answer. */
    public byte[] body() {
        return Base64.getDecoder().decode(content);
    }
}
