package outbox.spring.boot;

import java.util.List;
import java.util.function.Supplier;
import outbox.domain.DomainEventContext;
import outbox.domain.DomainEventPublisher;

/**
 * The publisher bean, looked up on first use, because it may itself depend on the outbox.
 */
record LatePublisher(Supplier<DomainEventPublisher> bean) implements DomainEventPublisher {
    @Override
    public void publishAll(List<?> events, DomainEventContext context) {
        bean.get().publishAll(events, context);
    }

    @Override
    public boolean isInTransaction() {
        return bean.get().isInTransaction();
    }
}
