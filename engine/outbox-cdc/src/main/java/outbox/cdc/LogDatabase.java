package outbox.cdc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What differs between the databases whose log is read. Stateless but for its settings; thread-safe. */
interface LogDatabase {
    /**
     * Checks everything that can be known before Debezium starts, and creates what is missing and can be created without
     * hiding that a place in the log was lost.
     *
     * @return what Debezium needs to know about this database, beyond what is the same for all
     * @throws CdcSetupException if the log cannot be read; the message says what to do
     */
    Map<String, String> prepare(Connection conn) throws SQLException;

    /** @return whether this session now is the one that reads under the relay's name */
    boolean tryLock(Connection conn) throws SQLException;

    /**
     * Lets the server end this session, and its lock with it, when nothing was heard of it for so long. Otherwise a process
     * that is gone without a word keeps its lock until TCP notices, which takes hours.
     */
    void endWhenSilent(Connection conn, Duration limit) throws SQLException;

    /** Whether the server still sends its log to an earlier reader, and to no second one meanwhile. */
    default boolean isRead(Connection conn) throws SQLException {
        return false;
    }

    /** Ends the session of that reader. */
    default void endReader(Connection conn) throws SQLException {}

    /**
     * Why the log cannot be read from the place that was written down, or not all of it; {@code null} if it can, and if
     * nothing was written down.
     */
    @Nullable
    String lostPlace(Connection conn) throws SQLException;

    /** The end of the log. */
    LogPosition end(Connection conn) throws SQLException;

    /** Writes something small to the log that every reader gets, so that a reader that waits moves on. */
    void nudge(Connection conn) throws SQLException;

    /** What follows the table's name where rows are changed by their keys, so that no others are locked; may be empty. */
    default String byKey() {
        return "";
    }

    /** How much log is kept for the relay, and whether that is dangerous. */
    LogState look(Connection conn, long warnBytes) throws SQLException;

    /** Gives up the relay's place in the log, so that the database keeps nothing for it any more. */
    void forget(Connection conn) throws SQLException;
}
