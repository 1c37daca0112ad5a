package outbox.spring.boot;

import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.domain.DomainEventBus;
import outbox.domain.DomainEventPublisher;
import outbox.domain.TransactionRunner;
import outbox.domain.handler.EventHandlers;
import outbox.domain.publish.TransactionalEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.DefaultIdempotentCreateTemplate;
import outbox.idempotency.IdempotentCreateTemplate;
import outbox.idempotency.jdbc.JdbcIdempotencyRecords;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.MetricsExporter;
import outbox.spi.TxContext;

/**
 * One outbox with all that belongs to it, from the start of the application to its end.
 *
 * <h2>When</h2>
 *
 * Handlers are collected when all beans are made; what is wrong with them fails the start. Delivery begins before the web
 * server takes requests and ends after it has finished them, and after schedulers and message listeners have stopped: what
 * they still write is delivered, or waits in the table. A context that was stopped can be started again.
 */
final class OutboxUnit implements SmartInitializingSingleton, SmartLifecycle, DisposableBean {
    /** Below those of web servers (-1024 and -2048 from the top), above those of plain components. */
    static final int PHASE = DEFAULT_PHASE - 4096;

    /** The name of an outbox that is the only one. */
    static final String SOLE = "outbox";

    private final Parts parts;
    private final DomainEventBus.Binding binding;
    private @Nullable EventHandlers handlers; // guarded by this
    private volatile boolean running;

    /**
     * What a unit is made of.
     *
     * @param autoStartup whether it starts with the application
     * @param delivers whether the outbox itself does
     * @param relays whether a reader of the database's log does
     * @param entityPublisher the one that entities find
     */
    record Parts(
            String name,
            DataSource dataSource,
            AbstractJdbcOutboxStore store,
            String consumptionTable,
            ConnectionProvider connections,
            TxContext txContext,
            TransactionRunner transactions,
            Outbox outbox,
            boolean autoStartup,
            boolean delivers,
            boolean relays,
            MetricsExporter metrics,
            EventEnvelopes envelopes,
            DomainEventPublisher entityPublisher,
            HandlerSetup handlerSetup,
            RelaySchedule schedule) {}

    OutboxUnit(Parts parts) {
        this.parts = parts;
        this.binding = DomainEventBus.bind(parts.entityPublisher());
    }

    Parts parts() {
        return parts;
    }

    String name() {
        return parts.name();
    }

    Outbox outbox() {
        return parts.outbox();
    }

    OutboxPlace place() {
        return new OutboxPlace(
                parts.dataSource(), parts.store().tableName(), parts.consumptionTable(), parts.transactions());
    }

    /** @param writer the outbox's, or one of the application */
    DomainEventPublisher publisher(OutboxWriter writer) {
        return new OncePerTransaction(new TransactionalEventPublisher(writer, parts.txContext(), parts.envelopes()));
    }

    IdempotentCreateTemplate idempotentCreate(DomainEventPublisher publisher, PayloadSerializer serializer) {
        return new DefaultIdempotentCreateTemplate(
                new JdbcIdempotencyRecords(parts.store().name(), parts.connections(), parts.txContext()),
                parts.transactions(),
                parts.txContext(),
                publisher,
                serializer);
    }

    /** {@code null} where nothing is delivered, or not now. */
    synchronized @Nullable EventHandlers handlers() {
        return handlers;
    }

    @Override
    public void afterSingletonsInstantiated() {
        openHandlers();
        if (!parts.delivers() && !parts.relays()) {
            parts.handlerSetup().refuseLateHandlers();
        }
    }

    /** Also before a start that is not the first: what was stopped has none. */
    synchronized void openHandlers() {
        if (handlers == null && (parts.delivers() || parts.relays())) {
            handlers = parts.handlerSetup().complete();
        }
    }

    @Override
    public void start() {
        if (!running) {
            openHandlers();
            parts.schedule().start();
            running = true;
        }
    }

    @Override
    public void stop() {
        if (running) {
            running = false;
            end();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isAutoStartup() {
        return parts.autoStartup();
    }

    /** A reader of the log goes on in a test context that is put aside, and needs the handlers. */
    public boolean isPauseable() {
        return !parts.relays();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Also when the application did not come up, and nothing was ever started. */
    @Override
    public void destroy() {
        end();
        parts.outbox().close();
        binding.close();
    }

    private synchronized void end() {
        parts.schedule().stop();
        parts.outbox().stop();
        if (handlers != null) {
            handlers.close();
            handlers = null;
        }
    }
}
