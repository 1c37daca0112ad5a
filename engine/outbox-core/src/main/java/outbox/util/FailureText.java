package outbox.util;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A failure as operators read it: its root cause first, then where in the application that happened, then the stack, and at
 * the end what it was wrapped in. Frames between a worker and whoever it called are counted and not shown, and exceptions
 * around the cause are a line or two each, so that one cause reads the same whichever way it came. Stateless, thread-safe.
 *
 * <pre>
 * java.net.ConnectException: refused
 *   in shop.Mailer.on(Mailer.java:12)
 *   at java.base/sun.nio.ch.Net.connect(Net.java:579)
 *   at shop.Mailer.on(Mailer.java:12)
 *   ... 14 frames of the outbox
 * Wrapped by: outbox.domain.handler.HandlersFailedException: handler 'mail' failed, attempt 3 of 3: …
 * </pre>
 */
public final class FailureText {
    /** What is between a worker and whoever it calls. */
    private static final List<String> MACHINERY =
            List.of("outbox.dispatch.", "outbox.domain.handler.", "outbox.spring.boot.", "outbox.util.");
    /** Code that is not the application's own, as far as names tell. */
    private static final List<String> PLATFORM =
            List.of("outbox.", "java.", "javax.", "jakarta.", "jdk.", "sun.", "com.sun.");

    private static final int MAX_CAUSES = 20;

    private FailureText() {}

    /**
     * A failure of earlier, of which the text is left.
     *
     * @see #of
     */
    public static final class Earlier extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String text;

        /** @param text as {@link FailureText#of} made it */
        public Earlier(String text) {
            super(text.lines().findFirst().orElse(""), null, false, false);
            this.text = text;
        }
    }

    /** The exception itself and the first line of its message, bounded like {@link StoredError#clean}. */
    public static String firstLineOf(Throwable failure) {
        try {
            return String.valueOf(StoredError.clean(failure.toString()))
                    .lines()
                    .findFirst()
                    .orElse("");
        } catch (RuntimeException | Error broken) {
            return unreadable(failure);
        }
    }

    /** @return not cut; see {@link StoredError#clean} for what a column takes */
    public static String of(Throwable failure) {
        try {
            List<Throwable> chain = chain(failure);
            Throwable root = chain.get(chain.size() - 1);
            StringBuilder text = new StringBuilder();
            if (root instanceof Earlier earlier) {
                text.append(earlier.text.strip());
            } else {
                text.append(root);
                appendStack(text, root);
            }
            for (int i = chain.size() - 2; i >= 0; i--) {
                Throwable wrapper = chain.get(i);
                text.append("\nWrapped by: ").append(wrapper);
                appendFirstOfApplication(text, wrapper.getStackTrace());
            }
            for (Throwable one : chain) {
                for (Throwable suppressed : one.getSuppressed()) {
                    text.append("\nSuppressed: ").append(suppressed);
                }
            }
            return text.toString().replace("\r", "").replace("\t", "  ");
        } catch (Throwable broken) { // an exception whose own toString(), getMessage() or getCause() throws
            return unreadable(failure);
        }
    }

    private static String unreadable(Throwable failure) {
        return failure.getClass().getName() + " (its message cannot be read)";
    }

    /** The class of what {@link #of} leads with. */
    public static String classOf(Throwable failure) {
        try {
            List<Throwable> chain = chain(failure);
            return chain.get(chain.size() - 1).getClass().getName();
        } catch (Throwable broken) {
            return failure.getClass().getName();
        }
    }

    /** From the failure to its root cause; one that is its own cause ends there. */
    private static List<Throwable> chain(Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> chain = new ArrayList<>();
        for (Throwable one = failure; one != null && chain.size() < MAX_CAUSES && seen.add(one); one = one.getCause()) {
            chain.add(one);
        }
        return chain;
    }

    private static void appendStack(StringBuilder text, Throwable root) {
        StackTraceElement[] frames = root.getStackTrace();
        if (frames.length > 0 && !isOfApplication(frames[0])) {
            appendFirstOfApplication(text, frames);
        }
        int own = 0;
        for (StackTraceElement frame : frames) {
            if (isIn(frame, MACHINERY)) {
                own++;
                continue;
            }
            own = appendOwn(text, own);
            text.append("\n  at ").append(frame);
        }
        appendOwn(text, own);
    }

    private static int appendOwn(StringBuilder text, int own) {
        if (own > 0) {
            text.append("\n  ... ")
                    .append(own)
                    .append(own == 1 ? " frame" : " frames")
                    .append(" of the outbox");
        }
        return 0;
    }

    private static void appendFirstOfApplication(StringBuilder text, StackTraceElement[] frames) {
        StackTraceElement first = firstOfApplication(frames);
        if (first != null) {
            text.append("\n  in ").append(first);
        }
    }

    private static @Nullable StackTraceElement firstOfApplication(StackTraceElement[] frames) {
        for (StackTraceElement frame : frames) {
            if (isOfApplication(frame)) {
                return frame;
            }
        }
        return null;
    }

    private static boolean isOfApplication(StackTraceElement frame) {
        return !isIn(frame, PLATFORM);
    }

    private static boolean isIn(StackTraceElement frame, List<String> packages) {
        return packages.stream().anyMatch(frame.getClassName()::startsWith);
    }
}
