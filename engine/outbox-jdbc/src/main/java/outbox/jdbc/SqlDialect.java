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
 * What the statements of the outbox must know about a database: the expressions that differ, how it stores times, and how
 * it reports errors. A dialect for your own database is built once, as a constant:
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
 * <p>In the text of a statement, these names in braces stand for expressions of the dialect: {@code {now}},
 * {@code {now+?}}, {@code {now-?}}, {@code {json}}, {@code {unless exists}}; {@code {table}} is the table,
 * {@code {table by key}} the table where rows are named by their keys and only they may be touched and locked, and
 * {@code {delete by key}} a DELETE of such rows up to its condition. Immutable and thread-safe.
 */
public final class SqlDialect {
    private static final int MYSQL_DUPLICATE_ENTRY = 1062;
    private static final int MYSQL_UNKNOWN_DATABASE = 1049;
    private static final Set<String> MISSING_TABLE_STATES =
            Set.of("42P01", "3F000", "42S02", "42S03", "42S04", "90079");

    /** Some 270 years. H2 counts in nanoseconds on the way, and a long holds 292 years of those. */
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
     * @param name how schema files, {@code JdbcOutboxStores.get} and messages call the database, such as {@code hsqldb}
     * @param jdbcUrlPrefixes how its JDBC URLs begin, such as {@code jdbc:hsqldb:}
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

    /** See {@link Builder#size}; empty for a database that is not asked for the size of values. */
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

    /** What time it is on the database. */
    public Instant readClock(Connection conn) throws SQLException {
        return JdbcTemplate.query(conn, clockQuery(), JdbcTemplate.Binder.NOTHING, row -> clockTimes.read(row, 1))
                .get(0);
    }

    /** Runs what has to precede statements with {@code {now}}; nothing on most databases. */
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

    /** What is bound where a statement has {@code {now+?}} or {@code {now-?}}. */
    public static long micros(Duration duration) {
        Duration bounded = duration.compareTo(LONGEST) > 0 ? LONGEST : duration;
        return bounded.toSeconds() * 1_000_000 + bounded.toNanosPart() / 1_000;
    }

    /** Whether an INSERT failed because its key exists already. */
    public boolean isDuplicateKey(SQLException e) {
        return "23505".equals(e.getSQLState())
                || e.getErrorCode() == MYSQL_DUPLICATE_ENTRY
                || parts.duplicateKey.test(e);
    }

    /** Whether a statement failed because its table, or the schema of it, does not exist. */
    public boolean isMissingTable(SQLException e) {
        return isKnownMissingTable(e) || parts.missingTable.test(e);
    }

    /** The same by the codes that no two databases use differently. */
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

        /** A statement that runs before those with {@code now}, for a database without an expression for its clock. */
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

        /** What follows the table's name where rows are named by their keys, so that only those are locked. */
        public Builder byKey(String hint) {
            this.byKey = hint;
            return this;
        }

        /**
         * How a JSON column {@code {column}} is measured without reading it. Without this, claims read their rows before
         * they know how large they are.
         *
         * @param bytes how many bytes of UTF-8 its text has, roughly if it has few
         * @param text its text
         */
        public Builder size(String bytes, String text) {
            this.bytes = bytes;
            this.text = text;
            return this;
        }

        /** What ends an INSERT that may find its key taken and then inserts nothing, where an error would do harm. */
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
                        "dialect " + name + " needs now, later and earlier: leases go by the" + " database's clock");
            }
            return new SqlDialect(this, true);
        }
    }
}
