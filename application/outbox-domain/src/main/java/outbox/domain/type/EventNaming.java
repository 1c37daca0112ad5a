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

    /** @throws IllegalArgumentException if the name breaks the rule; the message shows both */
    public String check(String eventType) {
        if (!allows(eventType)) {
            throw new IllegalArgumentException("event type '" + eventType + "' breaks the naming rule: " + description
                    + "; give the class @EventName, or switch the rule off");
        }
        return eventType;
    }

    /** Checks everything a writer writes, also what does not come from a domain event. */
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
