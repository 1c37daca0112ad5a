package outbox.domain.type;

import java.util.List;
import java.util.regex.Pattern;
import outbox.EventEnvelope;
import outbox.WriterHook;

/** A rule for names of event types. */
public enum EventNaming {
    /** Any name. */
    FREE(".+", "any name"),
    /** {@code <domain>.<action>[.<phase>]} in lower case, for instance {@code split.finalized}. */
    DOMAIN_ACTION(
            "[a-z][a-z0-9_-]*\\.[a-z][a-z0-9_-]*(\\.[a-z][a-z0-9_-]*)?",
            "<domain>.<action>[.<phase>] in lower case, for instance split.finalized");

    private final Pattern pattern;
    private final String description;

    EventNaming(String pattern, String description) {
        this.pattern = Pattern.compile(pattern);
        this.description = description;
    }

    public boolean allows(String eventType) {
        return pattern.matcher(eventType).matches();
    }

    /** @throws IllegalArgumentException if the name violates the rule; the message contains both */
    public String check(String eventType) {
        if (!allows(eventType)) {
            throw new IllegalArgumentException("event type '" + eventType + "' violates the naming rule: " + description
                    + "; add @EventName to the class, or change the rule");
        }
        return eventType;
    }

    /** A hook that checks every written event. */
    public WriterHook writerHook() {
        return new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                events.forEach(event -> check(event.eventType()));
                return events;
            }
        };
    }
}
