package outbox.jdbc.store;

import outbox.jdbc.EventTable;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.SqlDialects;
import outbox.jdbc.TableNames;
import outbox.jdbc.partition.DailyPartitions;
import outbox.jdbc.purge.MySqlEventPurger;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/**
 * The outbox table on MySQL 8 or later and compatible databases. Claims run at READ COMMITTED, regardless of the
 * connection's level: the gap locks of REPEATABLE READ would block writers. Thread-safe.
 *
 * <p>On servers without {@code SKIP LOCKED} (MySQL 5.7, TiDB, MariaDB before 10.6) the claim of the specification is
 * used, {@code UPDATE … ORDER BY … LIMIT}: also correct, but nodes wait for each other.
 */
public class MySqlOutboxStore extends AbstractJdbcOutboxStore {
    public MySqlOutboxStore() {
        this(TableNames.DEFAULT_TABLE);
    }

    public MySqlOutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    public MySqlOutboxStore(String tableName, JsonCodec codec) {
        this(new EventTable(tableName, SqlDialects.MYSQL), codec);
    }

    MySqlOutboxStore(EventTable table, JsonCodec codec) {
        super(table, codec, strategies(table, codec));
    }

    private static StoreStrategies strategies(EventTable table, JsonCodec codec) {
        SkipLockedSupport skipLocked = new SkipLockedSupport();
        SkipLockedClaim skipping = new SkipLockedClaim(table, SkipLockedClaim.LOCK_IN_ORDER);
        MarkingClaim marking = new MarkingClaim(table, MarkingClaim.Marking.FIRST_ROWS);
        return new StoreStrategies(
                new MultiRowInsert(table, codec),
                (conn, request) ->
                        skipLocked.run(() -> skipping.claim(conn, request), () -> marking.claim(conn, request)),
                marking,
                new OrderedClaim(
                        table,
                        OrderedClaim.Lookup.EACH_STATUS,
                        "FORCE INDEX (" + OutboxSchema.indexName(table.name(), "order") + ")"),
                new InnoDbSettlement(table, skipLocked));
    }

    @Override
    public MySqlOutboxStore withTable(String tableName) {
        return new MySqlOutboxStore(tableName, jsonCodec());
    }

    @Override
    public MySqlOutboxStore withJsonCodec(JsonCodec codec) {
        return new MySqlOutboxStore(tableName(), codec);
    }

    @Override
    public EventPurger purger() {
        return new MySqlEventPurger(tableName());
    }

    @Override
    public DailyPartitions dailyPartitions() {
        return DailyPartitions.onInnoDb(tableName(), election());
    }

    @Override
    public Election election() {
        return new NamedLockElection(tableName());
    }
}
