package outbox.util;

import java.util.Arrays;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A name of event types in which {@code *} stands for any characters: {@code order.*}. Immutable. */
public final class EventTypePattern {
    private final String text;
    private final Pattern pattern;

    public EventTypePattern(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("an event type pattern must not be blank");
        }
        this.text = text;
        this.pattern = Pattern.compile(Arrays.stream(text.split("\\*+", -1))
                .map(part -> part.isEmpty() ? "" : Pattern.quote(part))
                .collect(Collectors.joining(".*")));
    }

    public boolean matches(String eventType) {
        return pattern.matcher(eventType).matches();
    }

    @Override
    public String toString() {
        return text;
    }
}
