package outbox.benchmark;

import java.util.Locale;

/** Numbers as a person reads them. Stateless. */
public final class Figures {
    private Figures() {}

    /** Three digits that count; thousands set apart. */
    public static String of(double value) {
        double size = Math.abs(value);
        if (size >= 1000) {
            return String.format(Locale.ROOT, "%,d", Math.round(value)).replace(',', ' ');
        }
        if (size >= 100) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        if (size >= 10) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        return String.format(Locale.ROOT, size >= 0.1 || size == 0 ? "%.2f" : "%.3f", value);
    }
}
