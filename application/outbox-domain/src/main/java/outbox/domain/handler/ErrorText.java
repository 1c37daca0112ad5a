package outbox.domain.handler;

import java.util.Objects;
import outbox.util.FailureText;
import outbox.util.StoredError;

/** What is stored of a failure: the root cause, and as much of the rest as fits. */
final class ErrorText {
    private ErrorText() {}

    static String of(Throwable failure) {
        return Objects.requireNonNull(StoredError.clean(FailureText.of(failure)));
    }

    /** The exception itself and its message. */
    static String firstLineOf(Throwable failure) {
        try {
            return Objects.requireNonNull(StoredError.clean(failure.toString()))
                    .lines()
                    .findFirst()
                    .orElse("");
        } catch (RuntimeException | Error broken) { // an exception whose own toString() or getMessage() throws
            return failure.getClass().getName() + " (its message cannot be read)";
        }
    }
}
