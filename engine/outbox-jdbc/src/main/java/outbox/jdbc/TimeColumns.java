package outbox.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** Types of time columns. None depends on the time zone of the JVM or of the session. */
public enum TimeColumns {
    /** A date and time without zone that means UTC: {@code DATETIME(6)} and {@code TIMESTAMP(6)}. */
    UTC_DATE_TIME {
        @Override
        Object toDatabase(Instant time) {
            return LocalDateTime.ofInstant(time, ZoneOffset.UTC);
        }

        @Override
        public Instant read(ResultSet row, int column) throws SQLException {
            return row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC);
        }
    },

    /** A point in time by type: {@code TIMESTAMPTZ}. */
    WITH_TIME_ZONE {
        @Override
        Object toDatabase(Instant time) {
            return time.isBefore(BEFORE_ALL_OTHERS) ? OffsetDateTime.MIN : time.atOffset(ZoneOffset.UTC);
        }

        @Override
        public Instant read(ResultSet row, int column) throws SQLException {
            return row.getObject(column, OffsetDateTime.class).toInstant();
        }
    };

    /** PostgreSQL's {@code -infinity}, which an operator may have written, cannot be represented as a date in UTC. */
    private static final Instant BEFORE_ALL_OTHERS = LocalDateTime.MIN.toInstant(ZoneOffset.UTC);

    abstract Object toDatabase(Instant time);

    /** The time in a column that is not null. */
    public abstract Instant read(ResultSet row, int column) throws SQLException;

    /** Truncated to microseconds, the precision of the columns: drivers and databases round differently. */
    public void bind(PreparedStatement statement, int index, Instant time) throws SQLException {
        statement.setObject(index, toDatabase(time.truncatedTo(ChronoUnit.MICROS)));
    }
}
