package outbox.testing.server;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one server of a kind in this JVM, started when first asked for. Thread-safe: the first caller starts it, the
 * others wait. A start that failed is not tried again, so that a hundred tests do not wait a hundred times.
 */
final class SharedServer {

    private final Supplier<? extends DatabaseServer> start;

    private @Nullable DatabaseServer server;
    private @Nullable RuntimeException failure;

    SharedServer(Supplier<? extends DatabaseServer> start) {
        this.start = start;
    }

    synchronized DatabaseServer get() {
        if (failure != null) {
            throw new IllegalStateException(
                    "The shared server failed to start earlier in this JVM: " + failure.getMessage(), failure);
        }
        if (server == null) {
            try {
                server = start.get();
            } catch (RuntimeException e) {
                failure = e;
                throw e;
            }
        }
        return server;
    }
}
