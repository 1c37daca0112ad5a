package outbox.spring.boot.test;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.Outbox;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventPublisher;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.model.EventStatus;
import outbox.spring.boot.OutboxPlace;
import outbox.testing.DoubleDelivery;
import outbox.testing.OutboxAssert;
import outbox.testing.OutboxAssertions;
import outbox.testing.Outboxes;
import outbox.testing.PublishedAssert;
import outbox.testing.PublishedEvent;

/**
 * Test access to the application's outbox. It covers events written since the test began, including those of the test's
 * own transaction, which are never delivered if it rolls back. Inject it into tests with {@link OutboxTest} or {@code
 * @SpringBootTest}.
 */
public final class TestOutbox {
    private final Outbox outbox;
    private final OutboxRows rows;
    private final TransactionRunner transactions;
    private final DomainEventPublisher publisher;
    private final StoredEvents stored;
    private final CallsOutsideTransactions calls;

    TestOutbox(
            Outbox outbox,
            OutboxPlace place,
            DomainEventPublisher publisher,
            StoredEvents stored,
            CallsOutsideTransactions calls) {
        this.outbox = outbox;
        this.rows = new OutboxRows(place.dataSource(), place.table(), place.consumptionTable());
        this.transactions = place.transactions();
        this.publisher = publisher;
        this.stored = stored;
        this.calls = calls;
    }

    /** Forgets all events so far; called before each test. */
    void begin() {
        rows.begin();
        calls.clear();
    }

    /** Assertions on the events published so far. */
    public OutboxAssert assertThat() {
        return OutboxAssertions.assertThat(rows);
    }

    /** Asserts that events of this class were published; further assertions apply only to these. */
    public PublishedAssert published(Class<?> eventClass) {
        return assertThat().published(eventClass);
    }

    /** The events of this class that were published so far, oldest first. */
    public <E> List<E> events(Class<E> eventClass) {
        return rows.read().stream()
                .filter(row -> stored.isOf(eventClass, row))
                .map(stored::read)
                .map(eventClass::cast)
                .toList();
    }

    /**
     * Delivers all due events, and the events they cause, before it returns. Events that are not due yet stay.
     *
     * @throws AssertionError if something is still in flight after 30 seconds
     */
    public Outboxes.Drained drain() {
        requireNoTransaction("drain");
        return Outboxes.drain(outbox, rows);
    }

    /**
     * Publishes and delivers the event, and then delivers it again as after a crash between the return of a handler and
     * the record of its success. Handlers whose transaction includes that record are not called again, all others are.
     *
     * @param effect returns the observable effect of the handlers; return a copy, not a live collection
     * @throws AssertionError if the second delivery changes the effect or publishes more events; also if the first one has no
     *     effect or fails
     */
    public void deliverTwice(DomainEvent event, DoubleDelivery.Effect effect) {
        requireNoTransaction("deliverTwice");
        Object before = look(effect);
        publish(event);
        drainDone(event, "first");
        Object once = look(effect);
        List<String> publishedOnce = published();

        rows.forgetDelivery(event.eventId(), calls.handlersOf(event.eventId()));
        drainDone(event, "second");
        DoubleDelivery.compare(event, before, once, look(effect));
        if (!published().equals(publishedOnce)) {
            throw new AssertionError(
                    "a second delivery publishes further events, so the handler is not idempotent\n  event:      "
                            + event + "\n  after one:  " + publishedOnce + "\n  after two:  " + published());
        }
    }

    private void publish(DomainEvent event) {
        try {
            var unused = transactions.run(TxMode.REQUIRED, () -> {
                publisher.publish(event);
                return event;
            });
        } catch (Exception e) {
            throw new IllegalStateException("event " + event + " could not be published: " + e.getMessage(), e);
        }
    }

    private List<String> published() {
        return rows.read().stream()
                .map(event -> event.eventType() + " " + event.aggregateId())
                .toList();
    }

    private void drainDone(DomainEvent event, String which) {
        drain();
        PublishedEvent row = rows.read().stream()
                .filter(candidate -> candidate.eventId().equals(event.eventId()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("event " + event
                        + " is no longer in the table; deliverTwice needs outbox.dispatch.completion=mark"));
        if (row.status() != EventStatus.DONE) {
            throw new AssertionError("the " + which + " delivery of " + event + " did not succeed: it is "
                    + row.status() + ", " + Objects.requireNonNullElse(row.lastError(), "without an error"));
        }
    }

    private static @Nullable Object look(DoubleDelivery.Effect effect) {
        try {
            return effect.look();
        } catch (Exception e) {
            throw new AssertionError("the effect could not be read", e);
        }
    }

    private static void requireNoTransaction(String what) {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    what + " was called in a transaction: its events are not delivered before the commit."
                            + " Remove @Transactional from the test");
        }
    }
}
