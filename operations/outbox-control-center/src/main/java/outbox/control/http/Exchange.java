package outbox.control.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.access.Operator;

/** One request and its response. */
final class Exchange {
    private static final int MAX_BODY = 1_200_000;
    /** What the columns for reasons can hold. */
    private static final int MAX_REASON = 500;

    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final Map<String, String> path;
    private final @Nullable Operator operator;
    private @Nullable Map<String, @Nullable Object> body;
    private boolean begun;
    private boolean ended;

    Exchange(
            HttpServletRequest request,
            HttpServletResponse response,
            Map<String, String> path,
            @Nullable Operator operator) {
        this.request = request;
        this.response = response;
        this.path = path;
        this.operator = operator;
    }

    HttpServletRequest request() {
        return request;
    }

    HttpServletResponse response() {
        return response;
    }

    /** The caller; only open routes can be called without one. */
    Operator operator() {
        if (operator == null) {
            throw new ApiException(401, "log in first");
        }
        return operator;
    }

    @Nullable
    Operator operatorOrNull() {
        return operator;
    }

    /** The request was recorded in the audit log before it was executed. */
    void begun() {
        begun = true;
    }

    /** Its outcome was recorded too. */
    void ended() {
        ended = true;
    }

    boolean isBegun() {
        return begun;
    }

    boolean isOpenEnded() {
        return begun && !ended;
    }

    String path(String name) {
        String value = path.get(name);
        if (value == null) {
            throw new IllegalStateException("the route has no {" + name + "}");
        }
        return storable(value);
    }

    @Nullable
    String pathOrNull(String name) {
        return path.get(name);
    }

    /** @throws ApiException 400 if no database can store it */
    static String storable(String text) {
        if (text.indexOf('\0') >= 0) {
            throw new ApiException(400, "texts must not contain the character U+0000");
        }
        return text;
    }

    @Nullable
    String query(String name) {
        String value = request.getParameter(name);
        return value == null || value.isBlank() ? null : storable(value.strip());
    }

    int query(String name, int otherwise) {
        String value = query(name);
        try {
            return value == null ? otherwise : Integer.parseInt(value);
        } catch (NumberFormatException e) {
            throw new ApiException(400, name + " must be a number, not '" + value + "'");
        }
    }

    /** The body as it was sent; it can be read once. @throws ApiException 413 */
    byte[] rawBody() throws IOException {
        byte[] bytes = request.getInputStream().readNBytes(MAX_BODY + 1);
        if (bytes.length > MAX_BODY) {
            throw new ApiException(413, "the body is larger than " + MAX_BODY + " bytes");
        }
        return bytes;
    }

    Map<String, @Nullable Object> body() throws IOException {
        if (body == null) {
            byte[] bytes = rawBody();
            body = bytes.length == 0 ? new LinkedHashMap<>() : Json.object(new ByteArrayInputStream(bytes));
        }
        return body;
    }

    /** @throws ApiException 400 if it is missing or not a text */
    String text(String name) throws IOException {
        String value = optionalText(name);
        if (value == null) {
            throw new ApiException(400, "the body needs a text '" + name + "'");
        }
        return value;
    }

    @Nullable
    String optionalText(String name) throws IOException {
        Object value = body().get(name);
        if (value != null && !(value instanceof String)) {
            throw new ApiException(400, "'" + name + "' must be a text");
        }
        return (String) value;
    }

    /** Why an operator does something. @throws ApiException 400 if it is too long */
    @Nullable
    String reason() throws IOException {
        String reason = optionalText("reason");
        if (reason != null && reason.length() > MAX_REASON) {
            throw new ApiException(
                    400, "a reason can have at most " + MAX_REASON + " characters, not " + reason.length());
        }
        return reason == null || reason.isBlank() ? null : reason.strip();
    }

    /** @throws ApiException 400 if it is missing, not a whole number, or outside of the limits */
    int wholeNumber(String name, int min, int max) throws IOException {
        if (!(body().get(name) instanceof Long number)) {
            throw new ApiException(400, "the body needs a whole number '" + name + "'");
        }
        if (number < min || number > max) {
            throw new ApiException(400, "'" + name + "' must be between " + min + " and " + max + ", not " + number);
        }
        return number.intValue();
    }

    boolean flag(String name) throws IOException {
        return Boolean.TRUE.equals(body().get(name));
    }

    void json(int status, @Nullable Object value) throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        response.setCharacterEncoding("UTF-8");
        response.getOutputStream().write(Json.bytes(value));
    }
}
