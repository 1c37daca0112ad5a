package outbox.jdbc.store;

import javax.sql.DataSource;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.TableNames;

/**
 * Builders of an {@link Outbox} for a {@link DataSource}: the store is detected by the JDBC URL, and terminal rows of
 * the table {@value TableNames#DEFAULT_TABLE} are purged by one node at a time.
 *
 * <pre>{@code
 * ThreadLocalTxContext txContext = new ThreadLocalTxContext();
 * Outbox outbox = JdbcOutbox.multiNode(dataSource)
 *     .transactions(txContext)
 *     .listeners(new DefaultListenerRegistry().register("OrderPlaced", mailer))
 *     .build()
 *     .start();
 * }</pre>
 *
 * <p>Every part can be replaced on the builder. For another table, pass the store: {@link #multiNode(DataSource,
 * AbstractJdbcOutboxStore)}.
 */
public final class JdbcOutbox {
    private JdbcOutbox() {}

    /** See {@link Outbox#singleNode()}. Opens a connection to detect the database. */
    public static OutboxBuilder singleNode(DataSource dataSource) {
        return singleNode(dataSource, JdbcOutboxStores.detect(dataSource));
    }

    /** As {@link #singleNode(DataSource)}, with a store of your choice and its purger. */
    public static OutboxBuilder singleNode(DataSource dataSource, AbstractJdbcOutboxStore store) {
        return fill(Outbox.singleNode(), dataSource, store);
    }

    /** See {@link Outbox#multiNode()}. Opens a connection to detect the database. */
    public static OutboxBuilder multiNode(DataSource dataSource) {
        return multiNode(dataSource, JdbcOutboxStores.detect(dataSource));
    }

    /** As {@link #multiNode(DataSource)}, with a store of your choice and its purger. */
    public static OutboxBuilder multiNode(DataSource dataSource, AbstractJdbcOutboxStore store) {
        return fill(Outbox.multiNode(), dataSource, store);
    }

    /** See {@link Outbox#writerOnly()}. Opens a connection to detect the database. */
    public static OutboxBuilder writerOnly(DataSource dataSource) {
        return writerOnly(dataSource, JdbcOutboxStores.detect(dataSource));
    }

    /** As {@link #writerOnly(DataSource)}, with a store of your choice and its purger. */
    public static OutboxBuilder writerOnly(DataSource dataSource, AbstractJdbcOutboxStore store) {
        return fill(Outbox.writerOnly(), dataSource, store);
    }

    private static OutboxBuilder fill(OutboxBuilder builder, DataSource dataSource, AbstractJdbcOutboxStore store) {
        return builder.store(store)
                .connections(new DataSourceConnectionProvider(dataSource))
                .purger(store.purger())
                .election(store.election());
    }
}
