package outbox.cdc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.connect.source.SourceRecord;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TimeColumns;
import outbox.model.OutboxEvent;

/**
 * The border between what the relay still delivers and what pollers will deliver after it.
 *
 * <h2>Why nothing is lost and nothing overtakes</h2>
 *
 * First, every row that is committed and pending is marked DONE, until a look at the table finds none: these are the relay's,
 * and the log holds them all before the place where it ended after that look. Rows committed later stay NEW: these are the
 * pollers'. From then on the relay delivers, of what it reads, only the rows that are not NEW, and it stops when it has read up
 * to that place. Nobody marks a row in between, so each row is on one side for good. What the look found is closed in
 * time: if an event was found, all events of its aggregate that were committed before it were found too. Pollers start
 * when the relay has stopped, so they come after it.
 *
 * <p>Until then the relay's place in the log stays in front of the first row that was left to the pollers. If it fails on
 * the way, or is too slow, it begins there again and delivers everything, as if nobody had asked. Handing back again marks
 * what is pending then, and those rows are still to be read.
 */
final class HandBack {
    private static final int MARKED_AT_ONCE = 1000;
    private static final String PENDING = "SELECT event_id FROM %s WHERE status IN (0, 2) LIMIT " + MARKED_AT_ONCE;
    private static final String MARK =
            "UPDATE %s%s SET status = 1, done_at = ? WHERE status IN (0, 2) AND event_id IN (%s)";
    private static final String OF_THE_POLLER = "SELECT event_id FROM %s WHERE status IN (0, 2) AND event_id IN (%s)";

    private final DatabaseAddress address;
    private final String table;
    private final LogPosition end;
    private final CompletableFuture<Void> reached = new CompletableFuture<>();

    private HandBack(DatabaseAddress address, String table, LogPosition end) {
        this.address = address;
        this.table = table;
        this.end = end;
    }

    /** Marks what is pending as the relay's and takes down where the log ends then. */
    static HandBack begin(Connection conn, DatabaseAddress address, String table, LogDatabase log, TimeColumns times)
            throws SQLException {
        conn.setAutoCommit(true); // each statement looks at the table as it is then
        conn.setTransactionIsolation(
                Connection.TRANSACTION_READ_COMMITTED); // and locks what it changes, not what it passes
        List<String> pending;
        do {
            pending = JdbcTemplate.query(
                    conn, PENDING.formatted(table), JdbcTemplate.Binder.NOTHING, row -> row.getString(1));
            mark(conn, MARK.formatted(table, log.byKey(), places(pending.size())), pending, times);
        } while (pending.size() == MARKED_AT_ONCE);
        return new HandBack(address, table, log.end(conn));
    }

    private static void mark(Connection conn, String sql, List<String> ids, TimeColumns times) throws SQLException {
        if (!ids.isEmpty()) {
            JdbcTemplate.update(conn, sql, statement -> {
                times.bind(statement, 1, java.time.Instant.now());
                for (int i = 0; i < ids.size(); i++) {
                    statement.setString(i + 2, ids.get(i));
                }
            });
        }
    }

    private static String places(int count) {
        return String.join(", ", Collections.nCopies(count, "?"));
    }

    /** Ids of rows in these records that the poller will deliver. A row that is gone is the relay's: nobody else could. */
    Set<String> idsOfThePoller(List<SourceRecord> records) {
        List<String> ids = new ArrayList<>();
        for (SourceRecord record : records) {
            OutboxEvent row = ChangeReader.insertedRow(record);
            if (row != null) {
                ids.add(row.eventId());
            }
        }
        if (ids.isEmpty()) {
            return Set.of();
        }
        try (Connection conn = address.connect()) {
            return new HashSet<>(JdbcTemplate.query(
                    conn,
                    OF_THE_POLLER.formatted(table, places(ids.size())),
                    statement -> {
                        for (int i = 0; i < ids.size(); i++) {
                            statement.setString(i + 1, ids.get(i));
                        }
                    },
                    row -> row.getString(1)));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot find out which events are left to the poller", e);
        }
    }

    /** The relay has delivered everything up to this record. */
    void delivered(SourceRecord last) {
        if (end.isReachedBy(last.sourceOffset())) {
            reached.complete(null);
        }
    }

    void failed(Throwable why) {
        reached.completeExceptionally(why);
    }

    CompletableFuture<Void> reached() {
        return reached;
    }
}
