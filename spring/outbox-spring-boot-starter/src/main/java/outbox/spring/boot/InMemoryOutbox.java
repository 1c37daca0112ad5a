package outbox.spring.boot;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import outbox.domain.DomainEventBus;
import outbox.domain.DomainEventPublisher;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.publish.InMemoryEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;

/** Handlers without a table: for development and tests. Nothing is stored, nothing is retried. */
final class InMemoryOutbox implements SmartInitializingSingleton, DisposableBean {
    private final ConfigurableListableBeanFactory beans;
    private final LateListeners listeners = new LateListeners();
    private final DomainEventPublisher publisher;
    private final DomainEventBus.Binding binding;
    private @Nullable EventHandlers handlers;

    InMemoryOutbox(ConfigurableListableBeanFactory beans, EventEnvelopes envelopes) {
        this.beans = beans;
        this.publisher = new InMemoryEventPublisher(envelopes, listeners);
        this.binding = DomainEventBus.bind(publisher);
    }

    DomainEventPublisher publisher() {
        return publisher;
    }

    @Override
    public void afterSingletonsInstantiated() {
        EventHandlersBuilder builder = EventHandlers.builder()
                .types(beans.getBean(EventTypes.class))
                .serializer(beans.getBean(PayloadSerializer.class))
                .transactions(transactions())
                .tracker(new Forgetful())
                .executor(Runnable::run);
        new HandlerBeans(beans, List.of()).addTo(builder, "outbox");
        handlers = builder.build();
        listeners.arrived(handlers);
    }

    private TransactionRunner transactions() {
        PlatformTransactionManager manager =
                beans.getBeanProvider(PlatformTransactionManager.class).getIfUnique();
        return manager == null ? new NoTransactions() : new SpringTransactionRunner(manager);
    }

    private static final class NoTransactions implements TransactionRunner {
        @Override
        public <T extends @Nullable Object> T run(TxMode mode, Work<T> work) throws Exception {
            return work.run();
        }
    }

    /** Lets transactional handlers run, without the promise they have with a table. */
    private static final class Forgetful implements EventConsumptionTracker {
        @Override
        public List<HandlerProgress> progressOf(String eventId) {
            return List.of();
        }

        @Override
        public void record(Collection<HandlerOutcome> outcomes) {}

        @Override
        public boolean consume(String eventId, String handler) {
            return true;
        }

        @Override
        public boolean isTransactional() {
            return true;
        }

        @Override
        public void reset(String eventId, String handler) {}

        @Override
        public Set<String> openHandlers() {
            return Set.of();
        }
    }

    @Override
    public void destroy() {
        binding.close();
        if (handlers != null) {
            handlers.close();
        }
    }
}
