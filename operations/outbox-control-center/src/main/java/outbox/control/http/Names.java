package outbox.control.http;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Names as segments of a path: Base64 for URLs, since servers refuse encoded slashes. */
final class Names {
    private Names() {}

    /** @throws ApiException 400 if it is not Base64 */
    static String decode(String segment) {
        try {
            return Exchange.storable(new String(Base64.getUrlDecoder().decode(segment), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw new ApiException(400, "the name in the path must be Base64 for URLs");
        }
    }
}
