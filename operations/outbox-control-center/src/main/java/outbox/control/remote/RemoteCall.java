package outbox.control.remote;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request to an application's API.
 *
 * @param path encoded, below {@code /api/v1}, with its query
 * @param body JSON; {@code null} if there is none
 * @param headers in addition to those of every request
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record RemoteCall(String method, String path, byte @Nullable [] body, Map<String, String> headers) {
    /** Marks requests of another control center, which are not forwarded again: two could send them in a circle. */
    public static final String FORWARDED = "X-Outbox-Forwarded";

    static RemoteCall get(String path) {
        return new RemoteCall("GET", path, null, Map.of());
    }

    boolean isChange() {
        return !method.equals("GET");
    }

    /**
     * An answer.
     *
     * @param type the content type in lower case, without parameters
     * @param fileName of a download; {@code null} otherwise
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Answer(int status, String type, @Nullable String fileName, byte[] body) {}
}
