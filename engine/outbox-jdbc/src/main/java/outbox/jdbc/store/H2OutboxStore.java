package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;
import outbox.jdbc.purge.H2EventPurger;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox table on H2, in its regular mode and in those that imitate MySQL or PostgreSQL. Thread-safe. */
public final class H2OutboxStore extends AbstractJdbcOutboxStore {
    /**
     * Sets the time that the statements of one call go by. H2's own {@code CURRENT_TIMESTAMP} is when the transaction
     * started, and the time a statement started is only found in a system table, too slow to be asked for every row.
     * Counted from the epoch, because a cast to a type without zone would go by the zone of the session.
     */
    private static final String SET_NOW = """
            SET @OUTBOX_NOW = DATEADD(
              MICROSECOND,
              (SELECT CAST(EXTRACT(EPOCH FROM EXECUTING_STATEMENT_START) * 1000000 AS BIGINT)
                FROM INFORMATION_SCHEMA.SESSIONS WHERE SESSION_ID = SESSION_ID()),
              TIMESTAMP '1970-01-01 00:00:00')
            """;

    private static final String NOW = "CAST(@OUTBOX_NOW AS TIMESTAMP(6))";

    private static final SqlDialect DIALECT = new SqlDialect(
            NOW,
            "DATEADD(MICROSECOND, ?, " + NOW + ")",
            "DATEADD(MICROSECOND, -CAST(? AS BIGINT), " + NOW + ")",
            "? FORMAT JSON",
            TimeColumns.UTC_DATE_TIME,
            "",
            "OCTET_LENGTH({column})",
            "CAST({column} AS VARCHAR)");

    public H2OutboxStore() {
        this(TableNames.DEFAULT_TABLE);
    }

    public H2OutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    public H2OutboxStore(String tableName, JsonCodec codec) {
        super(tableName, codec, DIALECT);
    }

    @Override
    public String name() {
        return "h2";
    }

    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:h2:");
    }

    @Override
    public H2OutboxStore withTable(String tableName) {
        return new H2OutboxStore(tableName, jsonCodec());
    }

    @Override
    public H2OutboxStore withJsonCodec(JsonCodec codec) {
        return new H2OutboxStore(tableName(), codec);
    }

    @Override
    public EventPurger purger() {
        return new H2EventPurger(tableName());
    }

    @Override
    public Election election() {
        return new LocalElection(tableName());
    }

    @Override
    void readClock(Connection conn) throws SQLException {
        JdbcTemplate.update(conn, SET_NOW, JdbcTemplate.Binder.NOTHING);
    }
}
