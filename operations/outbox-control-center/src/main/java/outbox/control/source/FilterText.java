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

/** The text form of a filter in URLs, saved views and operations. Stateless, thread-safe. */
public final class FilterText {
    /** The names of its parts. */
    public static final List<String> NAMES =
            List.of("state", "id", "type", "aggregateType", "aggregateId", "tenant", "error", "from", "to");

    /** Limits that every database can store. */
    static final Instant EARLIEST = Instant.EPOCH;

    static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

    private FilterText() {}

    /**
     * @param values the value of a field; {@code null} or blank for any
     * @param now the time that ages such as {@code PT1H} are relative to
     * @throws IllegalArgumentException if a state or a time is invalid
     */
    public static EventFilter read(Function<String, @Nullable String> values, Instant now) {
        Function<String, @Nullable String> texts = name -> {
            String value = values.apply(name);
            if (value != null && value.indexOf('\0') >= 0) {
                throw new IllegalArgumentException(name + " must not contain the character U+0000");
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

    /**
     * @param value a time or an age; {@code null} for any
     * @throws IllegalArgumentException if it is neither
     */
    public static @Nullable Instant time(String name, @Nullable String value, Instant now) {
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
                    name + " must be a time like 2026-01-31T12:00:00Z or an age like PT1H, not '" + value + "'", e);
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

    /** The inverse of {@link #write}. */
    public static EventFilter read(String query, Instant now) {
        return read(parts(query)::get, now);
    }

    /** All parameters of a query by name, including names unknown to filters. */
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
