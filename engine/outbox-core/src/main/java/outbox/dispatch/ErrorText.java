package outbox.dispatch;

import java.io.PrintWriter;
import java.io.StringWriter;
import outbox.util.StoredError;

/** What goes into the column {@code last_error}: the exception, its causes and as much of the trace as fits. */
final class ErrorText {
    private ErrorText() {}

    static String of(Throwable failure) {
        StringWriter text = new StringWriter();
        try {
            failure.printStackTrace(new PrintWriter(text));
        } catch (Throwable broken) { // an exception whose own toString() or getMessage() throws
            return failure.getClass().getName() + " (its message can not be read)";
        }
        String trace = text.toString().strip().replace("\r", "").replace("\t", "  ");
        return trace.substring(0, Math.min(trace.length(), StoredError.MAX_LENGTH));
    }
}
