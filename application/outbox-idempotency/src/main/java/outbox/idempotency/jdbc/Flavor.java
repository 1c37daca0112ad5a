package outbox.idempotency.jdbc;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import outbox.jdbc.TimeColumns;

/**
 * What differs between the databases. In statements {@code {now}} stands for the database's clock, {@code {now+?}} for
 * that plus a parameter of microseconds, and {@code {unless-exists}} ends an insert that may find its key taken.
 */
enum Flavor {
    H2("CURRENT_TIMESTAMP(6)", "DATEADD(MICROSECOND, ?, CURRENT_TIMESTAMP(6))", "", TimeColumns.WITH_TIME_ZONE),
    POSTGRESQL(
            "statement_timestamp()",
            "statement_timestamp() + ? * INTERVAL '1 microsecond'",
            "ON CONFLICT DO NOTHING", // an error would end the whole transaction
            TimeColumns.WITH_TIME_ZONE),
    MYSQL("UTC_TIMESTAMP(6)", "UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND", "", TimeColumns.UTC_DATE_TIME),
    MARIADB("UTC_TIMESTAMP(6)", "UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND", "", TimeColumns.UTC_DATE_TIME);

    private final String now;
    private final String later;
    private final String unlessExists;
    private final TimeColumns times;

    Flavor(String now, String later, String unlessExists, TimeColumns times) {
        this.now = now;
        this.later = later;
        this.unlessExists = unlessExists;
        this.times = times;
    }

    static Flavor of(String database) {
        return Arrays.stream(values())
                .filter(flavor -> flavor.database().equals(database.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "no tables for database '" + database + "'; known are h2, postgresql, mysql, mariadb"));
    }

    /** The name of the database as stores and schema files have it. */
    String database() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What is bound where a statement has {@code {now+?}}. */
    static long micros(Duration duration) {
        return TimeUnit.MICROSECONDS.convert(duration);
    }

    TimeColumns times() {
        return times;
    }

    String sql(String template, String table) {
        return template.strip()
                .replace("{table}", table)
                .replace("{now}", now)
                .replace("{now+?}", later)
                .replace("{unless-exists}", unlessExists)
                .strip();
    }
}
