package outbox.spring.boot;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;

/**
 * Publishes an object once in a transaction, however often it comes: code that calls both {@link DomainEventPublisher} and
 * Spring's {@code ApplicationEventPublisher} with it means one event. Equal objects are different events. Thread-safe.
 */
final class OncePerTransaction implements DomainEventPublisher {
    private final DomainEventPublisher publisher;

    OncePerTransaction(DomainEventPublisher publisher) {
        this.publisher = publisher;
    }

    @Override
    public void publishAll(List<?> events, DomainEventContext context) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            publisher.publishAll(events, context); // reports what is missing
            return;
        }
        Published published = published();
        List<?> fresh = events.stream().filter(published.objects::add).toList();
        if (fresh.isEmpty()) {
            return;
        }
        try {
            publisher.publishAll(fresh, context);
        } catch (RuntimeException | Error e) {
            fresh.forEach(published.objects::remove);
            throw e;
        }
    }

    @Override
    public boolean isInTransaction() {
        return publisher.isInTransaction();
    }

    private Published published() {
        if (TransactionSynchronizationManager.getResource(this) instanceof Published present) {
            return present;
        }
        Published published = new Published();
        TransactionSynchronizationManager.registerSynchronization(published);
        TransactionSynchronizationManager.bindResource(this, published);
        return published;
    }

    /** What one transaction has published; bound to its thread as long as it is the current one. */
    private final class Published implements TransactionSynchronization {
        private final Set<Object> objects = Collections.newSetFromMap(new IdentityHashMap<>());

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResourceIfPossible(OncePerTransaction.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(OncePerTransaction.this, this);
        }

        /** The rows of some objects are gone. Rather write one again, and fail for its id, than miss one. */
        @Override
        public void savepointRollback(Object savepoint) {
            objects.clear();
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(OncePerTransaction.this);
        }
    }
}
