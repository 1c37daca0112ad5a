package outbox.inbox;

import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.domain.TransactionRunner;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.registry.ListenerRegistry;
import outbox.spi.TxContext;

/** Collects the parts of an {@link InlineInbox}. Not thread-safe. */
public final class InlineInboxBuilder {
    private final DataSource dataSource;
    private @Nullable AbstractJdbcOutboxStore store;
    private @Nullable String table;
    private @Nullable String group;
    private @Nullable TxContext txContext;
    private @Nullable TransactionRunner transactions;
    private @Nullable ListenerRegistry handlers;
    private @Nullable MessageId messageId;
    private @Nullable DurableInbox failures;
    private boolean deadLetterInvalid;

    InlineInboxBuilder(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    /** Required. A message is handled once per group; several groups can share a table. */
    public InlineInboxBuilder group(String group) {
        this.group = MessageRows.validGroup(group);
        return this;
    }

    /**
     * Required: the transactions of the work.
     *
     * @param txContext where the runner's transactions are found
     */
    public InlineInboxBuilder transactions(TxContext txContext, TransactionRunner transactions) {
        this.txContext = Objects.requireNonNull(txContext, "txContext");
        this.transactions = Objects.requireNonNull(transactions, "transactions");
        return this;
    }

    /**
     * For {@link InlineInbox#receive}: {@code EventHandlers} built with {@code inOneTransaction()}, or listeners by event
     * type.
     */
    public InlineInboxBuilder handlers(ListenerRegistry handlers) {
        this.handlers = Objects.requireNonNull(handlers, "handlers");
        return this;
    }

    /** Default {@value DurableInbox#DEFAULT_TABLE}; {@code table} or {@code schema.table}. */
    public InlineInboxBuilder table(String table) {
        this.table = Objects.requireNonNull(table, "table");
        return this;
    }

    /** The store, on the table of the inbox; by default that of the database, as its JDBC URL tells. */
    public InlineInboxBuilder store(AbstractJdbcOutboxStore store) {
        this.store = Objects.requireNonNull(store, "store");
        return this;
    }

    /** For messages without {@link InboxMessage#id()}; by default they are invalid. */
    public InlineInboxBuilder messageId(MessageId messageId) {
        this.messageId = Objects.requireNonNull(messageId, "messageId");
        return this;
    }

    /**
     * Messages whose handler fails are stored there after the rollback, with their payload, and answered with {@link
     * Receipt#RECEIVED}: its engine retries them. By default {@link InlineInbox#receive} throws, and the broker delivers them
     * again.
     *
     * @param durable of the same group, on the same table
     */
    public InlineInboxBuilder failuresTo(DurableInbox durable) {
        this.failures = Objects.requireNonNull(durable, "durable");
        return this;
    }

    /**
     * Records invalid messages, and those whose failure is final, as dead letters with their cause and without their payload;
     * they are answered with {@link Receipt#DEAD}. By default {@code receive} throws.
     */
    public InlineInboxBuilder deadLetterInvalid() {
        this.deadLetterInvalid = true;
        return this;
    }

    /** @throws IllegalArgumentException if a part is missing or two settings contradict each other */
    public InlineInbox build() {
        if (group == null || txContext == null || transactions == null) {
            throw new IllegalArgumentException("an inline inbox needs "
                    + (group == null ? "group(...)" : "transactions(...)") + ", which is not set");
        }
        AbstractJdbcOutboxStore rows = DurableInboxBuilder.storeOf(dataSource, store, table);
        if (failures != null
                && (!failures.group().equals(group)
                        || !failures.store().tableName().equals(rows.tableName()))) {
            throw new IllegalArgumentException("failuresTo(...) has group " + failures.group() + " and table "
                    + failures.store().tableName() + ", but this inbox has group " + group + " and table "
                    + rows.tableName() + ": a message would not be recognized when it comes again");
        }
        return new InlineInbox(
                new MessageRows(group, messageId, rows.jsonCodec()),
                new HandledRows(rows.table(), rows.jsonCodec()),
                rows.purger(),
                txContext,
                transactions,
                handlers,
                failures,
                deadLetterInvalid);
    }
}
