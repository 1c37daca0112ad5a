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
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TimeColumns;
import outbox.model.OutboxEvent;

/**
 * Separates the events that the relay still delivers from those that the pollers will deliver after it.
 *
 * <h2>Why no event is lost or reordered</h2>
 *
 * First, all committed pending rows are marked DONE, repeatedly, until a query finds none. These rows belong to the
 * relay, and all of them are in the log before the end position taken after that query. Rows committed later stay NEW
 * and belong to the pollers. From then on the relay delivers only rows that are not NEW, and stops at the end position.
 * Nothing else changes the status of these rows meanwhile, so the assignment is final. It respects the order of each
 * aggregate: if an event was marked, all earlier committed events of its aggregate were marked too. Pollers start after
 * the relay has stopped.
 *
 * <p>Until then the relay's offset stays before the first row left to the pollers. If the relay fails or exceeds the
 * time limit, it restarts there and delivers everything as usual. Another attempt marks the rows pending at that time,
 * which the relay has not read yet.
 */
final class ReturnToPollers {
    private static final int MARKED_AT_ONCE = 1000;
    private static final String PENDING =
            EventTable.fill("SELECT event_id FROM %s WHERE status IN ({pending}) LIMIT ") + MARKED_AT_ONCE;
    private static final String MARK = EventTable.fill(
            "UPDATE %s%s SET status = {done}, done_at = ? WHERE status IN ({pending}) AND event_id IN (%s)");
    private static final String OF_THE_POLLER =
            EventTable.fill("SELECT event_id FROM %s WHERE status IN ({pending}) AND event_id IN (%s)");

    private final DatabaseAddress address;
    private final String table;
    private final LogPosition end;
    private final CompletableFuture<Void> reached = new CompletableFuture<>();

    private ReturnToPollers(DatabaseAddress address, String table, LogPosition end) {
        this.address = address;
        this.table = table;
        this.end = end;
    }

    /** Marks all pending rows as the relay's, and determines the end position of the log. */
    static ReturnToPollers begin(
            Connection conn, DatabaseAddress address, String table, LogDatabase log, TimeColumns times)
            throws SQLException {
        conn.setAutoCommit(true); // each statement sees the current state of the table
        conn.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED); // lock only the rows that change
        List<String> pending;
        do {
            pending = JdbcTemplate.query(
                    conn, PENDING.formatted(table), JdbcTemplate.Binder.NOTHING, row -> row.getString(1));
            mark(conn, MARK.formatted(table, log.byKey(), places(pending.size())), pending, times);
        } while (pending.size() == MARKED_AT_ONCE);
        return new ReturnToPollers(address, table, log.end(conn));
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

    /**
     * Ids of rows in these records that the pollers will deliver. A deleted row is the relay's: no poller can find it.
     */
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
            throw new IllegalStateException("cannot determine which events are left to the pollers", e);
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
