package outbox.doctor;

import java.util.Arrays;
import java.util.Locale;

/** How bad a {@link Finding} is; the order is from harmless to bad. */
public enum Severity {
    /** Good to know. */
    INFO,
    /** Costs speed, or will hurt one day. */
    WARNING,
    /** Events are lost, stuck or delivered twice, or will be after the next crash. */
    CRITICAL;

    /** @throws IllegalArgumentException with the allowed words */
    public static Severity parse(String word) {
        return Arrays.stream(values())
                .filter(severity -> severity.word().equals(word.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "a severity is one of info, warning, critical, not '" + word + "'"));
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
