package outbox.cdc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What differs between the databases whose log is read. Stateless but for its settings; thread-safe. */
interface LogDatabase {
    /**
     * Checks everything that can be checked before Debezium starts, and creates what is missing, unless that would hide
     * a lost offset.
     *
     * @return Debezium settings specific to this database
     * @throws CdcSetupException if the log cannot be read; the message says what to do
     */
    Map<String, String> prepare(Connection conn) throws SQLException;

    /** @return whether this session now holds the lock of the relay's name */
    boolean tryLock(Connection conn) throws SQLException;

    /**
     * Makes the server terminate this session, and release its lock, after it was idle for this long. Otherwise a
     * process that vanished keeps its lock until TCP notices, which can take hours.
     */
    void endWhenSilent(Connection conn, Duration limit) throws SQLException;

    /** Whether the server still sends its log to the previous reader, which excludes a second one. */
    default boolean isRead(Connection conn) throws SQLException {
        return false;
    }

    /** Terminates the session of that reader. */
    default void endReader(Connection conn) throws SQLException {}

    /**
     * Why the log cannot be read completely from the stored offset; {@code null} if it can, or if no offset is stored.
     */
    @Nullable
    String lostOffset(Connection conn) throws SQLException;

    /** The current end position of the log. */
    LogPosition end(Connection conn) throws SQLException;

    /** Writes a marker to the log that every reader receives, so that a waiting reader advances. */
    void nudge(Connection conn) throws SQLException;

    /** Index hint after the table name in updates by key, so that no other rows are locked; may be empty. */
    default String byKey() {
        return "";
    }

    /** How much log is retained for the relay, with a warning if that is dangerous. */
    LogState look(Connection conn, long warnBytes) throws SQLException;

    /** Drops the relay's replication slot, if there is one, so that the database no longer retains log for it. */
    void forget(Connection conn) throws SQLException;
}
