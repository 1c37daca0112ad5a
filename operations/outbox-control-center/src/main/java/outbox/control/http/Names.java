package outbox.control.http;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Names as path segments, in URL-safe Base64, because servers reject encoded slashes. */
final class Names {
    private Names() {}

    /** @throws ApiException 400 if it is not Base64 */
    static String decode(String segment) {
        try {
            return Exchange.storable(new String(Base64.getUrlDecoder().decode(segment), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw new ApiException(400, "the name in the path must be URL-safe Base64");
        }
    }
}
