package outbox.samples.consumer;

import java.security.SecureRandom;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** W3C trace context, as a tracing library would make it. */
final class Trace {
    static final String HEADER = "traceparent";

    private static final SecureRandom RANDOM = new SecureRandom();

    private Trace() {}

    static String begin() {
        return "00-" + hex(16) + "-" + hex(8) + "-01";
    }

    /** The same trace with a span of its own; a new trace if there is none. */
    static String next(@Nullable String parent) {
        return parent == null ? begin() : parent.substring(0, 36) + hex(8) + "-01";
    }

    private static String hex(int bytes) {
        byte[] random = new byte[bytes];
        RANDOM.nextBytes(random);
        return HexFormat.of().formatHex(random);
    }
}
