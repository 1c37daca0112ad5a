package outbox.cli;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Times as people write them, in the time zone of this machine unless they name another. */
final class TimeText implements ITypeConverter<Instant> {
    static final String FORMS = "1h, 30m, 2d, today, yesterday, 2026-01-31, 2026-01-31T12:00 or 2026-01-31T12:00:00Z";

    private static final Pattern AGE =
            Pattern.compile("(\\d{1,9}) ?(s|sec|m|min|h|hours?|d|days?|w|weeks?)( ago)?", Pattern.CASE_INSENSITIVE);

    @Override
    public Instant convert(String text) {
        return parse(text, ZonedDateTime.now(ZoneId.systemDefault()));
    }

    static Instant parse(String text, ZonedDateTime now) {
        String value = text.strip();
        try {
            Matcher age = AGE.matcher(value);
            if (age.matches()) {
                return now.toInstant().minus(unit(age.group(2)).multipliedBy(Long.parseLong(age.group(1))));
            }
            return switch (value.toLowerCase(Locale.ROOT)) {
                case "now" -> now.toInstant();
                case "today" -> midnight(now.toLocalDate(), now.getZone());
                case "yesterday" -> midnight(now.toLocalDate().minusDays(1), now.getZone());
                default -> exact(value, now);
            };
        } catch (DateTimeException | ArithmeticException e) {
            throw new TypeConversionException("'" + text + "' is not a time; write " + FORMS);
        }
    }

    private static Instant exact(String value, ZonedDateTime now) {
        if (value.startsWith("P")) {
            return now.toInstant().minus(Duration.parse(value));
        }
        if (!value.contains("T")) {
            return midnight(LocalDate.parse(value), now.getZone());
        }
        return value.matches(".*(Z|[+-]\\d{2}:?\\d{2})$")
                ? ZonedDateTime.parse(value).toInstant()
                : LocalDateTime.parse(value).atZone(now.getZone()).toInstant();
    }

    private static Instant midnight(LocalDate date, ZoneId zone) {
        return date.atStartOfDay(zone).toInstant();
    }

    private static Duration unit(String name) {
        return switch (Character.toLowerCase(name.charAt(0))) {
            case 's' -> Duration.ofSeconds(1);
            case 'm' -> Duration.ofMinutes(1);
            case 'h' -> Duration.ofHours(1);
            case 'd' -> Duration.ofDays(1);
            default -> Duration.ofDays(7);
        };
    }
}
