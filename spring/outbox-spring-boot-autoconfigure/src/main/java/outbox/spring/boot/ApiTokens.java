package outbox.spring.boot;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.access.Operator;
import outbox.spring.boot.ControlCenterProperties.Token;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * The API tokens of {@code outbox.control-center.tokens}. Only digests of the secrets are kept; all are compared, each
 * in constant time. Immutable and thread-safe.
 */
final class ApiTokens {
    /** Shorter secrets can be guessed. */
    static final int MIN_LENGTH = 32;

    private static final String SCHEME = "Bearer ";

    private final List<Known> tokens;

    private static final class Known {
        private final byte[] digest;
        private final Operator operator;

        Known(byte[] digest, Operator operator) {
            this.digest = digest;
            this.operator = operator;
        }
    }

    private ApiTokens(List<Known> tokens) {
        this.tokens = tokens;
    }

    /** @throws RefusedSettingsException if one has no secret, or a short one; the secret is not in the message */
    static ApiTokens of(Map<String, Token> tokens) {
        List<Known> known = new ArrayList<>();
        tokens.forEach((name, token) -> {
            String secret = token.getSecret() == null ? "" : token.getSecret().strip();
            if (secret.length() < MIN_LENGTH) {
                throw new RefusedSettingsException(
                        "outbox.control-center.tokens." + name + ".secret needs at least " + MIN_LENGTH + " characters",
                        "Generate one with: openssl rand -hex 32");
            }
            Operator operator = Operator.everywhere("token " + name, token.getRole(), token.isPayloads());
            known.add(new Known(digest(secret), token.isClones() ? operator.withClones() : operator));
        });
        return new ApiTokens(List.copyOf(known));
    }

    /** @return {@code null} if the request has none of these tokens */
    @Nullable
    Operator operator(HttpServletRequest request) {
        String header = request.getHeader("Authorization");
        if (header == null || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return null;
        }
        byte[] given = digest(header.substring(SCHEME.length()).strip());
        Operator found = null;
        for (Known token : tokens) {
            if (MessageDigest.isEqual(token.digest, given)) {
                found = token.operator;
            }
        }
        return found;
    }

    private static byte[] digest(String secret) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
