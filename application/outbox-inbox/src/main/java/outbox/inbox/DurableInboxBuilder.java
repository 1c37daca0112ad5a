package outbox.inbox;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.OutboxBuilder;
import outbox.dispatch.CompletionMode;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;

/** Collects the parts of a {@link DurableInbox}. Not thread-safe. */
public final class DurableInboxBuilder {
    /** How long handled messages are remembered. */
    public static final Duration DEFAULT_DEDUPLICATION_WINDOW = Duration.ofDays(7);

    private final DataSource dataSource;
    private @Nullable AbstractJdbcOutboxStore store;
    private @Nullable String table;
    private @Nullable String group;
    private @Nullable ListenerRegistry handlers;
    private @Nullable MessageId messageId;
    private @Nullable TxContext transactions;
    private boolean deadLetterInvalid;
    private boolean singleNode;
    private Duration window = DEFAULT_DEDUPLICATION_WINDOW;
    private Consumer<OutboxBuilder> engine = builder -> {};

    DurableInboxBuilder(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    /**
     * Required. A message is handled once per group. All nodes of a group share a table; another group has a table of its
     * own, because any node of a table handles any row of it.
     */
    public DurableInboxBuilder group(String group) {
        this.group = MessageRows.validGroup(group);
        return this;
    }

    /** Required: typed handlers ({@code EventHandlers}) or listeners by event type. */
    public DurableInboxBuilder handlers(ListenerRegistry handlers) {
        this.handlers = Objects.requireNonNull(handlers, "handlers");
        return this;
    }

    /** Default {@value DurableInbox#DEFAULT_TABLE}; {@code table} or {@code schema.table}. */
    public DurableInboxBuilder table(String table) {
        this.table = Objects.requireNonNull(table, "table");
        return this;
    }

    /** The store, on the table of the inbox; by default that of the database, as its JDBC URL tells. */
    public DurableInboxBuilder store(AbstractJdbcOutboxStore store) {
        this.store = Objects.requireNonNull(store, "store");
        return this;
    }

    /** For messages without {@link InboxMessage#id()}; by default they are invalid. */
    public DurableInboxBuilder messageId(MessageId messageId) {
        this.messageId = Objects.requireNonNull(messageId, "messageId");
        return this;
    }

    /** For {@link DurableInbox#receiveInTransaction}. */
    public DurableInboxBuilder transactions(TxContext transactions) {
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        return this;
    }

    /**
     * Stores invalid messages as dead letters with their cause and without their payload; they are answered with {@link
     * Receipt#DEAD}. By default {@code receive} throws.
     */
    public DurableInboxBuilder deadLetterInvalid() {
        this.deadLetterInvalid = true;
        return this;
    }

    /**
     * How long a handled message is remembered; default 7 days. A message that comes again later is handled again, so it must
     * be longer than the broker keeps and redelivers messages.
     */
    public DurableInboxBuilder deduplicationWindow(Duration window) {
        if (window.isNegative() || window.isZero()) {
            throw new IllegalArgumentException("deduplicationWindow must be positive: " + window
                    + "; without one, every message that comes again is handled again");
        }
        this.window = window;
        return this;
    }

    /** For the only process that uses the table, see {@code Outbox.singleNode()}; by default there may be any number. */
    public DurableInboxBuilder singleNode() {
        this.singleNode = true;
        return this;
    }

    /**
     * Settings of the engine, such as workers, attempts, order, metrics or encryption. Store, connections, transactions,
     * listeners, purger, retention and completion mode are those of the inbox, whatever is set here.
     */
    public DurableInboxBuilder engine(Consumer<OutboxBuilder> settings) {
        this.engine = Objects.requireNonNull(settings, "settings");
        return this;
    }

    /** @throws IllegalArgumentException if a part is missing or two settings contradict each other */
    public DurableInbox build() {
        if (group == null || handlers == null) {
            throw new IllegalArgumentException(
                    "an inbox needs " + (group == null ? "group(...)" : "handlers(...)") + ", which is not set");
        }
        AbstractJdbcOutboxStore rows = storeOf(dataSource, store, table);
        ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
        ThreadLocalTxContext own = new ThreadLocalTxContext();
        OutboxBuilder outbox =
                singleNode ? JdbcOutbox.singleNode(dataSource, rows) : JdbcOutbox.multiNode(dataSource, rows);
        engine.accept(outbox);
        outbox.store(rows)
                .connections(connections)
                .transactions(new EitherTxContext(own, transactions))
                .listeners(handlers)
                .purger(rows.purger())
                .retention(window)
                .completionMode(CompletionMode.MARK);
        return new DurableInbox(
                rows,
                connections,
                outbox.build(),
                new MessageRows(group, messageId, rows.jsonCodec()),
                deadLetterInvalid,
                new JdbcTransactionManager(connections, own),
                transactions);
    }

    static AbstractJdbcOutboxStore storeOf(
            DataSource dataSource, @Nullable AbstractJdbcOutboxStore store, @Nullable String table) {
        if (store != null && table != null && !store.tableName().equals(table)) {
            throw new IllegalArgumentException("table(" + table + ") contradicts store(...), which uses "
                    + store.tableName() + ": set one of them");
        }
        return store != null
                ? store
                : JdbcOutboxStores.detect(dataSource).withTable(table == null ? DurableInbox.DEFAULT_TABLE : table);
    }
}
