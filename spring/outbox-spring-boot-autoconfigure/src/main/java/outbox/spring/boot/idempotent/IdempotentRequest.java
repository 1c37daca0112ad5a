package outbox.spring.boot.idempotent;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.domain.type.PayloadSerializer;

/**
 * What the expressions of {@code @Idempotent} see of a request: {@code header('X-Request-Id')}, {@code path('orderId')},
 * {@code param('id')}, {@code body('paymentId')} and {@code principal}.
 */
public final class IdempotentRequest {
    private final Function<String, @Nullable String> headers;
    private final Function<String, @Nullable String> parameters;
    private final Map<?, ?> pathVariables;
    private final String principal;
    private final byte[] body;
    private final PayloadSerializer serializer;

    IdempotentRequest(
            Function<String, @Nullable String> headers,
            Function<String, @Nullable String> parameters,
            Map<?, ?> pathVariables,
            String principal,
            byte[] body,
            PayloadSerializer serializer) {
        this.headers = headers;
        this.parameters = parameters;
        this.pathVariables = pathVariables;
        this.principal = principal;
        this.body = body;
        this.serializer = serializer;
    }

    /** A header; {@code null} if there is none. */
    public @Nullable String header(String name) {
        return headers.apply(name);
    }

    /** A parameter of the query or of a form; {@code null} if there is none. */
    public @Nullable String param(String name) {
        return parameters.apply(name);
    }

    /** A variable of the path pattern; {@code null} if there is none. */
    public @Nullable String path(String name) {
        return text(pathVariables.get(name));
    }

    /** A field of the JSON object in the body; {@code null} if there is none. */
    public @Nullable String body(String field) {
        if (body.length == 0) {
            return null;
        }
        return text(serializer
                .deserialize(new String(body, StandardCharsets.UTF_8), Map.class)
                .get(field));
    }

    /** The name of the authenticated user; empty if there is none. */
    public String getPrincipal() {
        return principal;
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : Objects.toString(value);
    }
}
