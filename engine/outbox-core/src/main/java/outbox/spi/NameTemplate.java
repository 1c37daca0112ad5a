package outbox.spi;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;

/**
 * A name with places for fields of an event: {@code outbox.event.{aggregateType}}. Immutable and thread-safe.
 *
 * <p>There is no {@code $}: in Spring's properties {@code ${aggregateType}} would be replaced by a property of that name.
 */
public final class NameTemplate {
    private static final Pattern PLACE = Pattern.compile("\\{([^{}]*)}");

    private final String text;
    private final List<Function<EventEnvelope, @Nullable String>> parts = new ArrayList<>();

    /** @throws IllegalArgumentException if a place is for a field that events do not have */
    public NameTemplate(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("the template must not be blank");
        }
        if (text.contains("${")) {
            throw new IllegalArgumentException(
                    "the template " + text + " contains ${; write fields of the event without the $: {aggregateType}");
        }
        this.text = text;
        Matcher matcher = PLACE.matcher(text);
        int end = 0;
        while (matcher.find()) {
            add(text.substring(end, matcher.start()));
            parts.add(field(matcher.group(1)));
            end = matcher.end();
        }
        add(text.substring(end));
    }

    private void add(String literal) {
        if (literal.contains("{") || literal.contains("}")) {
            throw new IllegalArgumentException("the template " + text + " has an unmatched { or }");
        }
        if (!literal.isEmpty()) {
            parts.add(event -> literal);
        }
    }

    private Function<EventEnvelope, @Nullable String> field(String name) {
        return switch (name) {
            case "aggregateType" -> EventEnvelope::aggregateType;
            case "aggregateId" -> EventEnvelope::aggregateId;
            case "eventType" -> EventEnvelope::eventType;
            case "tenantId" -> EventEnvelope::tenantId;
            default ->
                throw new IllegalArgumentException("the template " + text + " names {" + name
                        + "}; there are aggregateType, aggregateId, eventType and tenantId");
        };
    }

    /** @return the name, or {@code null} if the event lacks a field that it takes */
    public @Nullable String nameFor(EventEnvelope event) {
        StringBuilder name = new StringBuilder();
        for (Function<EventEnvelope, @Nullable String> part : parts) {
            String value = part.apply(event);
            if (value == null) {
                return null;
            }
            name.append(value);
        }
        return name.toString();
    }

    @Override
    public String toString() {
        return text;
    }
}
