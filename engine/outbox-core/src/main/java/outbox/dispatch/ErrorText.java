package outbox.dispatch;

import outbox.util.FailureText;
import outbox.util.StoredError;

/** What goes into the column {@code last_error}: the root cause, and as much of the rest as fits. */
final class ErrorText {
    private ErrorText() {}

    static String of(Throwable failure) {
        String text = FailureText.of(failure);
        return text.substring(0, Math.min(text.length(), StoredError.MAX_LENGTH));
    }
}
