package outbox.util;

import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Virtual threads, found at run time: the same jar runs on a JDK without them. */
public final class VirtualThreads {
    private VirtualThreads() {}

    /** Makes numbered virtual threads; {@code null} on a JDK that has none. */
    public static @Nullable ThreadFactory factory(String prefix) {
        try {
            Class<?> builder = Class.forName("java.lang.Thread$Builder");
            Object virtual = Thread.class.getMethod("ofVirtual").invoke(null);
            Object named = builder.getMethod("name", String.class, long.class).invoke(virtual, prefix, 1L);
            return (ThreadFactory) builder.getMethod("factory").invoke(named);
        } catch (ReflectiveOperationException | UnsupportedOperationException e) {
            return null; // older than JDK 21, or a preview that is switched off
        }
    }
}
