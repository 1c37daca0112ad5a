package outbox.spring.boot;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.transaction.PlatformTransactionManager;
import outbox.domain.DomainEventBus;
import outbox.domain.DomainEventPublisher;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventHandlersBuilder;
import outbox.domain.handler.HandlerInterceptor;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.publish.InMemoryEventPublisher;
import outbox.domain.type.EventEnvelopes;
import outbox.domain.type.EventTypes;
import outbox.domain.type.PayloadSerializer;

/** Calls handlers without a table, for development and tests. Events are neither stored nor retried. */
final class InMemoryOutbox
        implements SmartInitializingSingleton, DisposableBean, ApplicationListener<ApplicationEvent> {
    /** Event class of spring-test, which is not a dependency: a test starts using this, possibly cached, context. */
    private static final String TEST_EVENTS = "org.springframework.test.context.event.";

    private final ConfigurableListableBeanFactory beans;
    private final LateListeners listeners = new LateListeners();
    private final DomainEventPublisher publisher;
    private final DomainEventPublisher entityPublisher;
    private DomainEventBus.Binding binding; // guarded by this
    private @Nullable EventHandlers handlers;

    InMemoryOutbox(ConfigurableListableBeanFactory beans, EventEnvelopes envelopes) {
        this.beans = beans;
        this.publisher = new InMemoryEventPublisher(envelopes, listeners);
        this.entityPublisher = new LatePublisher(
                () -> beans.getBeanProvider(DomainEventPublisher.class).getIfUnique(() -> publisher));
        this.binding = DomainEventBus.bindDefault(entityPublisher);
    }

    DomainEventPublisher publisher() {
        return publisher;
    }

    /** Binds entities to the publisher of the current test's context. */
    @Override
    public synchronized void onApplicationEvent(ApplicationEvent event) {
        if (event.getClass().getName().startsWith(TEST_EVENTS)) {
            binding.close();
            binding = DomainEventBus.bindDefault(entityPublisher);
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        EventHandlersBuilder builder = EventHandlers.builder()
                .types(beans.getBean(EventTypes.class))
                .serializer(beans.getBean(PayloadSerializer.class))
                .transactions(transactions())
                .tracker(beans.getBeanProvider(EventConsumptionTracker.class).getIfUnique(Forgetful::new))
                .defaultCircuitBreaker(0, Duration.ZERO) // no table in which an event could wait
                .executor(Runnable::run);
        beans.getBeanProvider(HandlerInterceptor.class).orderedStream().forEach(builder::interceptor);
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

    /** Runs transactional handlers without the guarantee they have with a table. */
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
    public synchronized void destroy() {
        binding.close();
        if (handlers != null) {
            handlers.close();
        }
    }
}
