package outbox.jdbc.partition;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import outbox.util.Ulid;

/** Days in UTC: their partition names and lower bounds of event ids. */
final class Days {
    private static final DateTimeFormatter NAME = DateTimeFormatter.BASIC_ISO_DATE;

    private Days() {}

    static LocalDate of(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC);
    }

    static Instant start(LocalDate day) {
        return day.atStartOfDay(ZoneOffset.UTC).toInstant();
    }

    /** Every id generated on this day or later is greater. */
    static String bound(LocalDate day) {
        return Ulid.timePrefix(start(day));
    }

    static String name(String prefix, LocalDate day) {
        return prefix + NAME.format(day);
    }

    /** The day whose {@link #name} this is. */
    static Optional<LocalDate> parse(String prefix, String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!lower.startsWith(prefix.toLowerCase(Locale.ROOT)) || lower.length() != prefix.length() + 8) {
            return Optional.empty();
        }
        try {
            return Optional.of(LocalDate.parse(lower.substring(prefix.length()), NAME));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
