package outbox.jdbc.store;

import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialects;
import outbox.jdbc.TableNames;
import outbox.jdbc.purge.H2EventPurger;
import outbox.spi.Election;
import outbox.spi.EventPurger;
import outbox.util.JsonCodec;

/** The outbox table on H2, in its regular mode and in those that imitate MySQL or PostgreSQL. Thread-safe. */
public final class H2OutboxStore extends AbstractJdbcOutboxStore {
    public H2OutboxStore() {
        this(TableNames.DEFAULT_TABLE);
    }

    public H2OutboxStore(String tableName) {
        this(tableName, JsonCodec.getDefault());
    }

    public H2OutboxStore(String tableName, JsonCodec codec) {
        this(new EventTable(tableName, SqlDialects.H2), codec);
    }

    private H2OutboxStore(EventTable table, JsonCodec codec) {
        super(
                table,
                codec,
                new StoreStrategies(
                        new MultiRowInsert(table, codec),
                        new SkipLockedClaim(table, SkipLockedClaim.LOCK_UNORDERED),
                        new MarkingClaim(table, MarkingClaim.Marking.CANDIDATES),
                        new OrderedClaim(table, OrderedClaim.Lookup.EACH_STATUS, ""),
                        new KeyedSettlement(table)));
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
}
