package outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.WriterHook;
import outbox.dispatch.QueuedEvent.Source;
import outbox.model.EventStatus;
import outbox.poller.OutboxPoller;
import outbox.spi.OutboxStore;
import outbox.spi.UnitOfWork;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryRow;
import outbox.testing.InMemoryTxContext;

/** A store that knows no leases: what is delivered once, and what comes again, turn by turn. */
class UnleasedTest {
    private final InMemoryOutboxStore table = new InMemoryOutboxStore();
    private final InMemoryTxContext tx = table.txContext();
    private final List<String> delivered = new ArrayList<>();
    private Runnable afterRead = () -> {};
    private boolean failing;
    private final OutboxStore store = (OutboxStore) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, args) -> {
                try {
                    Object result = method.invoke(table, args);
                    if (method.getName().equals("pollPending")) {
                        afterRead.run();
                    }
                    return result;
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            });
    private final OutboxDispatcher dispatcher = OutboxDispatcher.builder()
            .outboxStore(store)
            .connectionProvider(table.connectionProvider())
            .listenerRegistry((aggregateType, eventType) -> event -> {
                delivered.add(event.eventId());
                if (failing) {
                    throw new IllegalStateException("down");
                }
            })
            .retryPolicy(attempts -> Duration.ofHours(1).toMillis())
            .withoutThreads()
            .build();
    private final OutboxPoller poller = OutboxPoller.builder()
            .outboxStore(store)
            .connectionProvider(table.connectionProvider())
            .handler(new DispatcherPollerHandler(dispatcher))
            .build();
    private final EventEnvelope event = EventEnvelope.ofJson("E", "{}");

    private void write(WriterHook hook) {
        tx.inTransaction(() -> new OutboxWriter(tx, store, hook).write(event));
    }

    private void deliver() {
        while (dispatcher.steps().workOnce()) {}
        dispatcher.steps().settleOnce();
    }

    /** As an operator does, by SQL. */
    private void setBackToNew() {
        InMemoryRow row = table.row(event.eventId());
        table.put(new InMemoryRow(row.event(), EventStatus.NEW, row.availableAt(), null, null, null, null));
    }

    @Test
    void aRowThatIsSetBackIsDeliveredAgain() {
        write(WriterHook.NOOP);
        poller.poll();
        deliver();
        assertThat(table.row(event.eventId()).status()).isEqualTo(EventStatus.DONE);
        setBackToNew();
        poller.poll();
        deliver();

        assertThat(delivered).hasSize(2);
        assertThat(table.row(event.eventId()).status()).isEqualTo(EventStatus.DONE);
    }

    @Test
    void aRowThatWasReadJustBeforeItWasDoneIsNotDeliveredAgain() {
        write(new DispatcherWriterHook(dispatcher));
        afterRead = this::deliver;
        poller.poll();
        deliver();

        assertThat(delivered).hasSize(1);
    }

    @Test
    void aRowThatWasReadJustBeforeItFailedWaitsForItsRetry() {
        failing = true;
        write(new DispatcherWriterHook(dispatcher));
        afterRead = this::deliver;
        poller.poll();
        deliver();

        assertThat(delivered).hasSize(1);
        assertThat(table.row(event.eventId()).event().attempts()).isEqualTo(1);
    }

    @Test
    void whatThePollerDeliveredBeforeTheHookBroughtItIsNotDeliveredAgain() throws SQLException {
        UnitOfWork.run(table.connectionProvider(), conn -> {
            store.insertNew(conn, event);
            return event;
        });
        poller.poll();
        deliver();
        new DispatcherWriterHook(dispatcher).afterCommit(List.of(event));
        deliver();

        assertThat(delivered).hasSize(1);
    }

    @Test
    void whatTheApplicationItselfBringsIsDroppedOnlyWhileItIsInHand() {
        write(WriterHook.NOOP);
        QueuedEvent queued = new QueuedEvent(event, Source.HOT, 0);
        dispatcher.enqueueHot(queued);
        dispatcher.enqueueHot(queued);
        deliver();
        assertThat(delivered).hasSize(1);
        dispatcher.enqueueHot(queued);
        deliver();

        assertThat(delivered).hasSize(2);
    }
}
