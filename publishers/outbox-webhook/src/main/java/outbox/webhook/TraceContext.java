package outbox.webhook;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import outbox.EventEnvelope;

/** The W3C trace context in the headers of an event; invalid values are omitted, as the standard requires. */
final class TraceContext {
    private static final String TRACEPARENT = "traceparent";
    private static final String TRACESTATE = "tracestate";
    private static final Pattern PARENT =
            Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-[\\x21-\\x7e]*)?");
    private static final Pattern STATE = Pattern.compile("[\\x20-\\x7e]{1,512}");

    private TraceContext() {}

    static Map<String, String> of(EventEnvelope event) {
        Map<String, String> context = new LinkedHashMap<>();
        String parent = event.headers().get(TRACEPARENT);
        if (parent != null && PARENT.matcher(parent).matches()) {
            context.put(TRACEPARENT, parent);
            String state = event.headers().get(TRACESTATE);
            if (state != null && STATE.matcher(state).matches()) {
                context.put(TRACESTATE, state);
            }
        }
        return context;
    }
}
