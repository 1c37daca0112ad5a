package outbox.util;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The form an error has in the column {@code last_error}. Stateless, thread-safe. */
public final class StoredError {
    public static final int MAX_LENGTH = 4000;

    private StoredError() {}

    /** The root cause, and as much of the rest as fits. */
    public static String of(Throwable failure) {
        return Objects.requireNonNull(clean(FailureText.of(failure)));
    }

    /** For log lines. */
    public static String firstLine(String error) {
        int end = error.indexOf('\n');
        return end < 0 ? error : error.substring(0, end);
    }

    /**
     * At most {@value #MAX_LENGTH} characters, without NUL and without half surrogate pairs: PostgreSQL refuses both,
     * and one such message must not take the outcomes of a whole batch with it.
     */
    public static @Nullable String clean(@Nullable String text) {
        if (text == null) {
            return null;
        }
        StringBuilder out = null;
        int end = Math.min(text.length(), MAX_LENGTH);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c) && i + 1 < end && Character.isLowSurrogate(text.charAt(i + 1));
            if (!pair && (c == 0 || Character.isSurrogate(c))) {
                if (out == null) {
                    out = new StringBuilder(end).append(text, 0, i);
                }
                continue;
            }
            if (out != null) {
                out.append(c);
                if (pair) {
                    out.append(text.charAt(i + 1));
                }
            }
            if (pair) {
                i++;
            }
        }
        return out != null ? out.toString() : text.substring(0, end);
    }
}
