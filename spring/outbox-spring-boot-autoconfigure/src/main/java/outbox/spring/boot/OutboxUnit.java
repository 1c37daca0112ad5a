package outbox.spring.boot;

import java.util.Map;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.domain.DomainEventBus;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandlers;
import outbox.domain.publish.TransactionalEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.DefaultIdempotentCreateTemplate;
import outbox.idempotency.IdempotencyRecords;
import outbox.idempotency.IdempotentCreateTemplate;
import outbox.idempotency.jdbc.JdbcIdempotencyRecords;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventSeal;
import outbox.spi.MetricsExporter;
import outbox.spi.TxContext;

/**
 * The lifecycle of one outbox and everything that belongs to it.
 *
 * <h2>Order</h2>
 *
 * Handlers are collected after all beans were created; errors in handlers fail the startup. Delivery starts before the
 * web server accepts requests. It stops after the web server has finished its requests and schedulers and message
 * listeners have stopped: events they still write are delivered, or stay in the table. A stopped context can be started
 * again.
 */
final class OutboxUnit implements SmartInitializingSingleton, SmartLifecycle, DisposableBean {
    /** Below web servers (-1024 and -2048 from the top), above plain components. */
    static final int PHASE = DEFAULT_PHASE - 4096;

    /** The name of the single outbox. */
    static final String SOLE = "outbox";

    private final Parts parts;
    private final DomainEventBus.@Nullable Binding binding;
    private @Nullable EventHandlers handlers; // guarded by this
    private volatile boolean running;
    private volatile Supplier<Map<String, Long>> received = Map::of;

    /**
     * The parts of a unit.
     *
     * @param requireKeys fails if there is no table of idempotency keys
     * @param autoStartup whether it starts with the application
     * @param delivers whether the outbox itself delivers
     * @param relays whether a CDC relay delivers
     * @param entityPublisher the publisher that entities use; {@code null} for an inbox, which publishes nothing
     * @param seal the form of events in the table
     */
    record Parts(
            String name,
            DataSource dataSource,
            AbstractJdbcOutboxStore store,
            String consumptionTable,
            ConnectionProvider connections,
            TxContext txContext,
            SpringTransactionRunner transactions,
            Runnable requireKeys,
            Outbox outbox,
            boolean autoStartup,
            boolean delivers,
            boolean relays,
            MetricsExporter metrics,
            EventEnvelopes envelopes,
            @Nullable DomainEventPublisher entityPublisher,
            EventSeal seal,
            HandlerSetup handlerSetup,
            RelaySchedule schedule) {}

    OutboxUnit(Parts parts) {
        this.parts = parts;
        this.binding = parts.entityPublisher() == null ? null : DomainEventBus.bind(parts.entityPublisher());
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

    /** Sets what {@link #received} says. */
    void received(Supplier<Map<String, Long>> counts) {
        received = counts;
    }

    /** How many messages this node received, by outcome; empty unless this is an inbox. */
    Map<String, Long> received() {
        return received.get();
    }

    /** Whether it handles received messages, and publishes nothing. */
    boolean isInbox() {
        return parts.entityPublisher() == null;
    }

    OutboxPlace place() {
        return new OutboxPlace(
                parts.dataSource(),
                parts.store().tableName(),
                parts.consumptionTable(),
                parts.transactions(),
                parts.seal());
    }

    /** @param writer of the outbox, or of the application */
    DomainEventPublisher publisher(OutboxWriter writer) {
        return new OncePerTransaction(new TransactionalEventPublisher(writer, parts.txContext(), parts.envelopes()));
    }

    OutboxKeys keys() {
        return new OutboxKeys(
                keyRecords(), parts.transactions(), parts.transactions().manager(), parts.requireKeys());
    }

    private IdempotencyRecords keyRecords() {
        return new JdbcIdempotencyRecords(parts.store().name(), parts.connections(), parts.txContext());
    }

    IdempotentCreateTemplate idempotentCreate(DomainEventPublisher publisher, PayloadSerializer serializer) {
        return new DefaultIdempotentCreateTemplate(
                keyRecords(), parts.transactions(), parts.txContext(), publisher, serializer);
    }

    /** {@code null} if nothing is delivered at the moment. */
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

    /** Also for a restart: a stopped unit has no handlers. */
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

    /** A CDC relay keeps running in a paused test context and needs the handlers. */
    public boolean isPauseable() {
        return !parts.relays();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }

    /** Also called if the startup failed and nothing was started. */
    @Override
    public void destroy() {
        end();
        parts.outbox().close();
        if (binding != null) {
            binding.close();
        }
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
