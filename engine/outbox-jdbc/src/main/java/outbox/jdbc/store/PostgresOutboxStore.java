package outbox.jdbc.store;

import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialects;
import outbox.jdbc.TableNames;
import outbox.jdbc.partition.DailyPartitions;
import outbox.jdbc.purge.PostgresEventPurger;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/**
 * The outbox table on PostgreSQL: claims and settlements are one statement each, batches are inserted with arrays. The
 * driver needs no special settings. Thread-safe.
 */
public final class PostgresOutboxStore extends AbstractJdbcOutboxStore {
    public PostgresOutboxStore() {
        this(TableNames.DEFAULT_TABLE);
    }

    public PostgresOutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    public PostgresOutboxStore(String tableName, JsonCodec codec) {
        this(new EventTable(tableName, SqlDialects.POSTGRESQL), codec);
    }

    private PostgresOutboxStore(EventTable table, JsonCodec codec) {
        super(table, codec, strategies(table, codec));
    }

    private static StoreStrategies strategies(EventTable table, JsonCodec codec) {
        ReturningClaim claim = new ReturningClaim(table);
        OrderedClaim ordered = new OrderedClaim(table, OrderedClaim.Lookup.FIRST_IN_ORDER, "");
        return new StoreStrategies(
                new ArrayInsert(table, codec),
                claim,
                claim,
                (conn, request) -> {
                    JdbcTemplate.update(conn, ReturningClaim.NO_BITMAPS, JdbcTemplate.Binder.NOTHING);
                    return ordered.claim(conn, request);
                },
                new ArraySettlement(table));
    }

    @Override
    public PostgresOutboxStore withTable(String tableName) {
        return new PostgresOutboxStore(tableName, jsonCodec());
    }

    @Override
    public PostgresOutboxStore withJsonCodec(JsonCodec codec) {
        return new PostgresOutboxStore(tableName(), codec);
    }

    @Override
    public EventPurger purger() {
        return new PostgresEventPurger(tableName());
    }

    @Override
    public DailyPartitions dailyPartitions() {
        return DailyPartitions.onPostgres(tableName(), election());
    }

    @Override
    public Election election() {
        return new AdvisoryLockElection(tableName());
    }
}
