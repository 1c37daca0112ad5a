package outbox.doctor;

import java.util.Arrays;
import java.util.Locale;

/** Severity of a {@link Finding}, in ascending order. */
public enum Severity {
    /** For information. */
    INFO,
    /** Costs performance, or may become a problem. */
    WARNING,
    /** Events are lost, stuck or delivered twice, or will be after the next crash. */
    CRITICAL;

    /** @throws IllegalArgumentException with the allowed words */
    public static Severity parse(String word) {
        return Arrays.stream(values())
                .filter(severity -> severity.word().equals(word.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the severity must be info, warning or critical, not '" + word + "'"));
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
