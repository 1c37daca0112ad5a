package outbox.control.source;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A filter as it is in URLs, in saved views and in operations. Stateless, thread-safe. */
public final class FilterText {
    /** The names of its parts. */
    public static final List<String> NAMES =
            List.of("state", "id", "type", "aggregateType", "aggregateId", "tenant", "error", "from", "to");

    /** What every database can store lies between them. */
    static final Instant EARLIEST = Instant.EPOCH;

    static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    private FilterText() {}

    /**
     * @param values a part by its name; {@code null} or blank if it does not matter
     * @param now what an age such as {@code PT1H} lies back from
     * @throws IllegalArgumentException if a state or a time is not one
     */
    public static EventFilter read(Function<String, @Nullable String> values, Instant now) {
        Function<String, @Nullable String> texts = name -> {
            String value = values.apply(name);
            if (value != null && value.indexOf('\0') >= 0) {
                throw new IllegalArgumentException(name + " has the character U+0000 in it, which no event has");
            }
            return value == null || value.isBlank() ? null : value.strip();
        };
        Set<EventState> states = EnumSet.noneOf(EventState.class);
        String wanted = texts.apply("state");
        if (wanted != null) {
            for (String state : wanted.split(",", -1)) {
                states.add(EventState.parse(state.strip()));
            }
        }
        return new EventFilter(
                states,
                texts.apply("id"),
                texts.apply("type"),
                texts.apply("aggregateType"),
                texts.apply("aggregateId"),
                texts.apply("tenant"),
                texts.apply("error"),
                time("from", texts.apply("from"), now),
                time("to", texts.apply("to"), now));
    }

    private static @Nullable Instant time(String name, @Nullable String value, Instant now) {
        try {
            if (value == null) {
                return null;
            }
            Instant time = value.startsWith("P") ? now.minus(Duration.parse(value)) : Instant.parse(value);
            if (time.isBefore(EARLIEST) || time.isAfter(LATEST)) {
                throw new DateTimeException(time + " is not between " + EARLIEST + " and " + LATEST);
            }
            return time;
        } catch (DateTimeException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    name + " is a time like 2026-01-31T12:00:00Z or an age like PT1H, not '" + value + "'", e);
        }
    }

    /** As a query, such as {@code state=dead&type=OrderPaid}. */
    public static String write(EventFilter filter) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        parts.put(
                "state",
                filter.states().isEmpty()
                        ? null
                        : filter.states().stream()
                                .sorted()
                                .map(state -> state.name().toLowerCase(java.util.Locale.ROOT))
                                .collect(Collectors.joining(",")));
        parts.put("id", filter.id());
        parts.put("type", filter.type());
        parts.put("aggregateType", filter.aggregateType());
        parts.put("aggregateId", filter.aggregateId());
        parts.put("tenant", filter.tenant());
        parts.put("error", filter.error());
        parts.put("from", filter.from());
        parts.put("to", filter.to());
        return parts.entrySet().stream()
                .filter(part -> part.getValue() != null)
                .map(part -> part.getKey() + "="
                        + URLEncoder.encode(String.valueOf(part.getValue()), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
    }

    /** The opposite of {@link #write}. */
    public static EventFilter read(String query, Instant now) {
        return read(parts(query)::get, now);
    }

    /** What is in a query, by name, whether filters know the name or not. */
    public static Map<String, String> parts(String query) {
        Map<String, String> values = new HashMap<>();
        for (String part : query.split("&", -1)) {
            int at = part.indexOf('=');
            if (at > 0) {
                values.put(part.substring(0, at), URLDecoder.decode(part.substring(at + 1), StandardCharsets.UTF_8));
            }
        }
        return values;
    }
}
