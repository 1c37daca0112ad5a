package outbox.cdc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.UnitOfWork;
import outbox.util.StoredError;
import outbox.util.Ticks;

/** Keeps dead letters in the table {@code outbox_cdc_dead}, which {@link CdcSchema} creates. Thread-safe. */
public final class JdbcDeadLetters implements DeadLetterSink {
    private static final Logger LOG = System.getLogger(JdbcDeadLetters.class.getName());

    private static final String DELETE = "DELETE FROM outbox_cdc_dead WHERE event_id = ?";
    private static final String LETTER = "SELECT 1 FROM outbox_cdc_dead WHERE event_id = ? FOR UPDATE";
    private static final String INSERT = """
            INSERT INTO outbox_cdc_dead (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,
              created_at, relay, attempts, last_error, dead_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """;

    private static final String REPLAY = """
            INSERT INTO %s (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, status,
              attempts, available_at, created_at)
            SELECT event_id, event_type, aggregate_type, aggregate_id, tenant_id, %s, %s, 0, 0, created_at, created_at
            FROM outbox_cdc_dead WHERE event_id = ?
            """;

    private final ConnectionProvider connections;
    private final InstantSource clock;

    public JdbcDeadLetters(ConnectionProvider connections) {
        this.connections = connections;
        this.clock = Ticks.systemClock();
    }

    /** Stores an error text that the database refuses as a note: the relay would wait for the letter for ever. */
    @Override
    public void add(CdcDeadLetter letter) throws SQLException {
        try {
            add(letter, letter.error());
        } catch (SQLException e) {
            try {
                add(letter, "the database refused the text of this error: SQLState " + e.getSQLState());
            } catch (SQLException again) {
                again.addSuppressed(e);
                throw again;
            }
            LOG.log(
                    Level.WARNING,
                    "the dead letter of event " + letter.row().eventId() + " is stored without the text of its error,"
                            + " which the database refuses",
                    e);
        }
    }

    private void add(CdcDeadLetter letter, String error) throws SQLException {
        UnitOfWork.run(connections, conn -> {
            JdbcTemplate.update(
                    conn,
                    DELETE,
                    statement -> statement.setString(1, letter.row().eventId()));
            return insert(conn, letter, error);
        });
    }

    /**
     * Replays a dead letter: inserts its row into the outbox table again, replacing the old row if it still exists, and
     * deletes the dead letter. The relay reads that insert from the log like any other, after everything committed
     * before.
     *
     * @param outboxTable {@code table} or {@code schema.table}
     * @return whether there was such a dead letter
     */
    public boolean replay(String outboxTable, String eventId) throws SQLException {
        String table = TableNames.validate(outboxTable);
        JdbcTemplate.Binder id = statement -> statement.setString(1, eventId);
        return UnitOfWork.run(connections, conn -> {
            boolean json = isPostgres(conn);
            String sql =
                    REPLAY.formatted(table, json ? "payload::jsonb" : "payload", json ? "headers::jsonb" : "headers");
            if (JdbcTemplate.query(conn, LETTER, id, row -> row.getInt(1)).isEmpty()) {
                return false;
            }
            JdbcTemplate.update(conn, "DELETE FROM " + table + " WHERE event_id = ?", id);
            JdbcTemplate.update(conn, sql, id);
            JdbcTemplate.update(conn, DELETE, id);
            return true;
        });
    }

    private static boolean isPostgres(Connection conn) throws SQLException {
        return conn.getMetaData().getURL().startsWith("jdbc:postgresql:");
    }

    private int insert(Connection conn, CdcDeadLetter letter, String error) throws SQLException {
        OutboxEvent row = letter.row();
        TimeColumns times = isPostgres(conn) ? TimeColumns.WITH_TIME_ZONE : TimeColumns.UTC_DATE_TIME;
        return JdbcTemplate.update(conn, INSERT, statement -> {
            statement.setString(1, row.eventId());
            statement.setString(2, row.eventType());
            statement.setString(3, row.aggregateType());
            statement.setString(4, row.aggregateId());
            statement.setString(5, row.tenantId());
            statement.setString(6, row.payloadJson());
            statement.setString(7, row.headersJson());
            times.bind(statement, 8, row.createdAt());
            statement.setString(9, letter.relay());
            statement.setInt(10, letter.attempts());
            statement.setString(11, StoredError.clean(error));
            times.bind(statement, 12, clock.instant());
        });
    }
}
