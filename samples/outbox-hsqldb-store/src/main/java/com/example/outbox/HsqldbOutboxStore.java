package com.example.outbox;

import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.TableNames;
import outbox.jdbc.TimeColumns;
import outbox.jdbc.purge.AbstractJdbcEventPurger;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.MarkingClaim;
import outbox.jdbc.store.MultiRowInsert;
import outbox.jdbc.store.StoreStrategies;
import outbox.spi.RetentionPurger;
import outbox.util.JsonCodec;

/**
 * The outbox table on HSQLDB. It has no {@code SKIP LOCKED}, so nodes that claim at the same time wait for each other, and
 * there is no ordered delivery. Thread-safe.
 */
public final class HsqldbOutboxStore extends AbstractJdbcOutboxStore {
    /** HSQLDB has one SQLState for what is missing and for what is forbidden, with an error code of its own. */
    private static final int OBJECT_NOT_FOUND = -5501;

    static final SqlDialect DIALECT = SqlDialect.builder("hsqldb", "jdbc:hsqldb:")
            .now("CURRENT_TIMESTAMP(6)")
            .later("DATEADD('microsecond', ?, {now})")
            .earlier("DATEADD('microsecond', -CAST(? AS BIGINT), {now})")
            .clockQuery("VALUES ({clock})")
            .times(TimeColumns.WITH_TIME_ZONE)
            .missingTable(e -> e.getErrorCode() == OBJECT_NOT_FOUND)
            .build();

    /** For {@link java.util.ServiceLoader}. */
    public HsqldbOutboxStore() {
        this(TableNames.DEFAULT_TABLE, JsonCodec.getDefault());
    }

    public HsqldbOutboxStore(String tableName, JsonCodec codec) {
        this(new EventTable(tableName, DIALECT), codec);
    }

    private HsqldbOutboxStore(EventTable table, JsonCodec codec) {
        super(table, codec, strategies(table, codec));
    }

    private static StoreStrategies strategies(EventTable table, JsonCodec codec) {
        MarkingClaim claim = new MarkingClaim(table, MarkingClaim.Marking.CANDIDATES);
        return new StoreStrategies(new MultiRowInsert(table, codec), claim, claim, null, new RowByRowSettlement(table));
    }

    @Override
    public HsqldbOutboxStore withTable(String tableName) {
        return new HsqldbOutboxStore(tableName, jsonCodec());
    }

    @Override
    public HsqldbOutboxStore withJsonCodec(JsonCodec codec) {
        return new HsqldbOutboxStore(tableName(), codec);
    }

    @Override
    public RetentionPurger purger() {
        return new Purger(table());
    }

    /** Deletes by a subselect, as {@link AbstractJdbcEventPurger} does by default. */
    private static final class Purger extends AbstractJdbcEventPurger {
        Purger(EventTable table) {
            super(table);
        }
    }
}
