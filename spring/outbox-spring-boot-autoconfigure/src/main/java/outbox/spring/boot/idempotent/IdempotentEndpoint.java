package outbox.spring.boot.idempotent;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.SimpleEvaluationContext;
import outbox.idempotency.IdempotencyKey;
import outbox.idempotency.http.IdempotencyKeyHeader;
import outbox.idempotency.http.RequestDigest;
import outbox.spring.boot.idempotent.Problem.Kind;

/**
 * The annotation of a controller method, with its expressions parsed. Immutable.
 *
 * @param header with the key, if there is no expression for it
 * @param scope empty for that of the mapping
 */
record IdempotentEndpoint(
        String header,
        @Nullable Expression key,
        boolean required,
        String scope,
        @Nullable Expression tenant,
        Expression caller,
        Duration ttl,
        boolean atomic) {
    private static final EvaluationContext CONTEXT = SimpleEvaluationContext.forReadOnlyDataBinding()
            .withInstanceMethods()
            .build();

    /**
     * @param headerValues those of the header with the key
     * @param mapping the scope, if the annotation has none
     * @return {@code null} if the request has no key and needs none
     * @throws Problem if the key is missing or not valid
     */
    @Nullable
    IdempotencyKey keyOf(IdempotentRequest request, List<String> headerValues, String mapping) {
        try {
            String value = key != null
                    ? valueOf(key, request)
                    : headerValues.isEmpty() ? "" : IdempotencyKeyHeader.parse(headerValues);
            if (value.isEmpty()) {
                if (!required) {
                    return null;
                }
                throw new Problem(
                        Kind.KEY_MISSING,
                        "This request needs "
                                + (key == null
                                        ? "the header " + header
                                        : "an idempotency key: " + key.getExpressionString())
                                + ". Choose a new key for each request, and send the same one again if you repeat it.");
            }
            return new IdempotencyKey(tenantOf(request), scopeOf(request, mapping), value);
        } catch (IllegalArgumentException e) {
            throw new Problem(Kind.KEY_INVALID, String.valueOf(e.getMessage()));
        }
    }

    String scopeName(String mapping) {
        return scope.isEmpty() ? mapping : scope;
    }

    private String scopeOf(IdempotentRequest request, String mapping) {
        return RequestDigest.scope(scopeName(mapping), valueOf(caller, request));
    }

    private String tenantOf(IdempotentRequest request) {
        if (tenant == null) {
            return "";
        }
        String value = valueOf(tenant, request);
        if (value.isEmpty()) {
            throw new IllegalArgumentException("there is no tenant: " + tenant.getExpressionString());
        }
        return value;
    }

    /** @return empty for {@code null} */
    private static String valueOf(Expression expression, IdempotentRequest request) {
        try {
            Object value = expression.getValue(CONTEXT, request);
            return value == null ? "" : value.toString();
        } catch (EvaluationException e) {
            throw new IllegalArgumentException(
                    "the request does not fit the expression " + expression.getExpressionString(), e);
        }
    }
}
