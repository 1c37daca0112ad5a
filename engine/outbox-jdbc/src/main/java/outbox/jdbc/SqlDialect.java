package outbox.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The differences between databases: SQL expressions, time columns and error codes. Build a dialect for your own
 * database once, as a constant:
 *
 * <pre>{@code
 * SqlDialect HSQLDB = SqlDialect.builder("hsqldb", "jdbc:hsqldb:")
 *     .now("CURRENT_TIMESTAMP(6)")
 *     .later("DATEADD('microsecond', ?, {now})")
 *     .earlier("DATEADD('microsecond', -CAST(? AS BIGINT), {now})")
 *     .times(TimeColumns.WITH_TIME_ZONE)
 *     .build();
 * }</pre>
 *
 * <p>Placeholders in statements: {@code {now}}, {@code {now+?}}, {@code {now-?}}, {@code {json}} and {@code {unless
 * exists}} are expressions of the dialect; {@code {table}} is the table, {@code {table by key}} the table in statements
 * that select rows by key and must lock only these, and {@code {delete by key}} the start of a DELETE of such rows.
 * Immutable and thread-safe.
 */
public final class SqlDialect {
    private static final int MYSQL_DUPLICATE_ENTRY = 1062;
    private static final int MYSQL_UNKNOWN_DATABASE = 1049;
    private static final Set<String> MISSING_TABLE_STATES =
            Set.of("42P01", "3F000", "42S02", "42S03", "42S04", "90079");

    /** About 270 years. H2 computes in nanoseconds, and a long holds 292 years of those. */
    private static final Duration LONGEST = Duration.ofDays(100_000);

    private final Builder parts;
    private final String now;
    private final TimeColumns times;
    private final String clock;
    private final TimeColumns clockTimes;
    private final boolean prepared;

    private SqlDialect(Builder parts, boolean prepared) {
        this.parts = parts;
        this.prepared = prepared;
        this.clock = parts.clock.isEmpty() ? parts.now : parts.clock;
        this.clockTimes = parts.clock.isEmpty() ? parts.times : parts.clockTimes;
        this.now = prepared ? parts.now : clock;
        this.times = prepared ? parts.times : clockTimes;
    }

    /**
     * The same for statements that {@link #prepareNow} does not precede: where there is something to prepare, their
     * {@code {now}} is {@link #clock()}, and their time columns have its type.
     */
    public SqlDialect unprepared() {
        return parts.prepareNow.isEmpty() ? this : new SqlDialect(parts, false);
    }

    /**
     * @param name the name of the database in schema files, {@code JdbcOutboxStores.get} and messages, such as {@code
     *     hsqldb}
     * @param jdbcUrlPrefixes prefixes of its JDBC URLs, such as {@code jdbc:hsqldb:}
     */
    public static Builder builder(String name, String... jdbcUrlPrefixes) {
        return new Builder(name, List.of(jdbcUrlPrefixes));
    }

    public String name() {
        return parts.name;
    }

    public List<String> jdbcUrlPrefixes() {
        return parts.jdbcUrlPrefixes;
    }

    /** How time columns are bound and read. */
    public TimeColumns times() {
        return times;
    }

    /** The clock plus a parameter of microseconds: {@code {now+?}}. */
    public String later() {
        return parts.later.replace("{now}", now);
    }

    /** See {@link Builder#size}; empty if sizes are not measured in the database. */
    public String bytes() {
        return parts.bytes;
    }

    /** The text of a JSON column {@code {column}}. */
    public String text() {
        return parts.text;
    }

    /** See {@link Builder#claimIsolation}; 0 for the level of the connection. */
    public int claimIsolation() {
        return parts.claimIsolation;
    }

    /** An expression for the database's clock at this moment; {@link #readClock} reads its value. */
    public String clock() {
        return clock;
    }

    /** How the value of {@link #clock()} is read. */
    public TimeColumns clockTimes() {
        return clockTimes;
    }

    /** A query for {@link #clock()}. */
    public String clockQuery() {
        return parts.clockQuery.replace("{clock}", clock);
    }

    /** The current time of the database. */
    public Instant readClock(Connection conn) throws SQLException {
        return JdbcTemplate.query(conn, clockQuery(), JdbcTemplate.Binder.NOTHING, row -> clockTimes.read(row, 1))
                .get(0);
    }

    /** Prepares statements with {@code {now}}; does nothing on most databases. */
    public void prepareNow(Connection conn) throws SQLException {
        if (prepared && !parts.prepareNow.isEmpty()) {
            JdbcTemplate.update(conn, parts.prepareNow, JdbcTemplate.Binder.NOTHING);
        }
    }

    /** The statement for a table, with the expressions of this database. */
    public String render(String template, String table) {
        return template.strip()
                .replace(
                        "{delete by key}",
                        parts.byKey.isEmpty() ? "DELETE FROM {table}" : "DELETE {table} FROM {table by key}")
                .replace("{table by key}", "{table}" + parts.byKey)
                .replace("{table}", table)
                .replace("{now+?}", parts.later)
                .replace("{now-?}", parts.earlier)
                .replace("{now}", now)
                .replace("{json}", parts.json)
                .replace("{unless exists}", parts.unlessExists)
                .strip();
    }

    /** The parameter value for {@code {now+?}} or {@code {now-?}}. */
    public static long micros(Duration duration) {
        Duration bounded = duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
        return bounded.toSeconds() * 1_000_000 + bounded.toNanosPart() / 1_000;
    }

    /** Whether an INSERT failed because the key already exists. */
    public boolean isDuplicateKey(SQLException e) {
        return "23505".equals(e.getSQLState())
                || e.getErrorCode() == MYSQL_DUPLICATE_ENTRY
                || parts.duplicateKey.test(e);
    }

    /** Whether a statement failed because its table, or the schema of it, does not exist. */
    public boolean isMissingTable(SQLException e) {
        return isKnownMissingTable(e) || parts.missingTable.test(e);
    }

    /** The same by codes that are unambiguous across databases. */
    public static boolean isKnownMissingTable(SQLException e) {
        return MISSING_TABLE_STATES.contains(String.valueOf(e.getSQLState()))
                || e.getErrorCode() == MYSQL_UNKNOWN_DATABASE;
    }

    @Override
    public String toString() {
        return parts.name;
    }

    /** Collects the parts of a dialect; {@link #now}, {@link #later} and {@link #earlier} are required. */
    public static final class Builder {
        private final String name;
        private final List<String> jdbcUrlPrefixes;
        private String now = "";
        private String later = "";
        private String earlier = "";
        private String prepareNow = "";
        private String clock = "";
        private String clockQuery = "SELECT {clock}";
        private TimeColumns clockTimes = TimeColumns.WITH_TIME_ZONE;
        private String json = "?";
        private TimeColumns times = TimeColumns.UTC_DATE_TIME;
        private String byKey = "";
        private String bytes = "";
        private String text = "{column}";
        private String unlessExists = "";
        private int claimIsolation;
        private Predicate<SQLException> duplicateKey = e -> false;
        private Predicate<SQLException> missingTable = e -> false;

        private Builder(String name, List<String> jdbcUrlPrefixes) {
            this.name = Objects.requireNonNull(name, "name");
            this.jdbcUrlPrefixes = jdbcUrlPrefixes;
        }

        /** The database's clock as the statement starts, not as its transaction did, in the type of the time columns. */
        public Builder now(String expression) {
            this.now = expression;
            return this;
        }

        /** {@code {now}} plus a parameter of microseconds. */
        public Builder later(String expression) {
            this.later = expression;
            return this;
        }

        /** {@code {now}} minus a parameter of microseconds. */
        public Builder earlier(String expression) {
            this.earlier = expression;
            return this;
        }

        /** A statement to run before those with {@code now}, for databases without a suitable clock expression. */
        public Builder prepareNow(String statement) {
            this.prepareNow = statement;
            return this;
        }

        /** The clock at this moment, where that is not {@code now}, and how it is read. */
        public Builder clock(String expression, TimeColumns type) {
            this.clock = expression;
            this.clockTimes = type;
            return this;
        }

        /** A query for {@code {clock}}, where {@code SELECT {clock}} is not one. */
        public Builder clockQuery(String query) {
            this.clockQuery = query;
            return this;
        }

        /** A parameter of JSON text; {@code ?} by default. */
        public Builder json(String parameter) {
            this.json = parameter;
            return this;
        }

        /** The type of the time columns; {@link TimeColumns#UTC_DATE_TIME} by default. */
        public Builder times(TimeColumns type) {
            this.times = type;
            return this;
        }

        /** Index hint after the table name in statements by key, so that only these rows are locked. */
        public Builder byKey(String hint) {
            this.byKey = hint;
            return this;
        }

        /**
         * Expressions to measure a JSON column {@code {column}} without reading it. Without them, claims read rows
         * before their size is known.
         *
         * @param bytes the size of its text in UTF-8 bytes; approximate for small values
         * @param text its text
         */
        public Builder size(String bytes, String text) {
            this.bytes = bytes;
            this.text = text;
            return this;
        }

        /** Suffix of an INSERT that does nothing if the key exists, where an error would abort the transaction. */
        public Builder unlessExists(String clause) {
            this.unlessExists = clause;
            return this;
        }

        /** The isolation level of claims, one of {@link Connection}'s constants; by default that of the connection. */
        public Builder claimIsolation(int level) {
            this.claimIsolation = level;
            return this;
        }

        /** Errors besides SQLState 23505 that mean a duplicate key. */
        public Builder duplicateKey(Predicate<SQLException> errors) {
            this.duplicateKey = errors;
            return this;
        }

        /** Errors besides the usual SQLStates that mean a missing table. */
        public Builder missingTable(Predicate<SQLException> errors) {
            this.missingTable = errors;
            return this;
        }

        /** @throws IllegalStateException if an expression for the clock is missing */
        public SqlDialect build() {
            if (now.isEmpty() || later.isEmpty() || earlier.isEmpty()) {
                throw new IllegalStateException(
                        "dialect " + name + " needs now, later and earlier: leases use the database's clock");
            }
            return new SqlDialect(this, true);
        }
    }
}
