package outbox.domain.handler;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Objects;
import outbox.util.StoredError;

/** What is stored of a failure: the exception, its causes and as much of the trace as fits. */
final class ErrorText {
    private ErrorText() {}

    static String of(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (RuntimeException | Error broken) { // an exception whose own toString() or getMessage() throws
            return failure.getClass().getName() + " (its message can not be read)";
        }
        String trace = text.toString().strip().replace("\r", "").replace("\t", "  ");
        return Objects.requireNonNull(StoredError.clean(trace));
    }

    /** The exception and its message, without the trace. */
    static String firstLineOf(Throwable failure) {
        String text = of(failure);
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }
}
