package outbox.spring.boot;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.Ordered;
import outbox.domain.DomainEvent;
import outbox.domain.DomainEventPublisher;
import outbox.domain.EventName;
import outbox.domain.handler.HandlerInterceptor;

/**
 * Writes events that are published with Spring's {@code ApplicationEventPublisher} to the outbox, on the thread and in the
 * transaction of the publisher, before other listeners see them. Thread-safe.
 *
 * <h2>Loops</h2>
 *
 * A handler may publish the event it handles to Spring's listeners. It is in the table already: while a handler runs, the
 * objects it was called with are not written again.
 */
final class SpringEventListener implements ApplicationListener<ApplicationEvent>, HandlerInterceptor, Ordered {
    private static final ThreadLocal<@Nullable Handled> HANDLED = new ThreadLocal<>();

    private final ObjectProvider<OutboxUnit> outboxes;
    private final ObjectProvider<DomainEventPublisher> publishers;
    private final ObjectProvider<SpringEventSelector> selectors;
    private final ClassValue<Boolean> marked;
    private volatile @Nullable List<SpringEventSelector> knownSelectors;

    /** What the handlers on this thread were called with: one inside the other, where events are delivered at once. */
    private record Handled(List<Object> objects, @Nullable Handled outer) {}

    /**
     * Beans are looked up when an event needs them: Spring makes its listeners before other beans.
     *
     * @param markers names of annotations that mark an event, beside {@link EventName}
     */
    SpringEventListener(
            ObjectProvider<OutboxUnit> outboxes,
            ObjectProvider<DomainEventPublisher> publishers,
            ObjectProvider<SpringEventSelector> selectors,
            List<String> markers) {
        this.outboxes = outboxes;
        this.publishers = publishers;
        this.selectors = selectors;
        this.marked = new ClassValue<>() {
            @Override
            protected Boolean computeValue(Class<?> type) {
                return DomainEvent.class.isAssignableFrom(type)
                        || type.isAnnotationPresent(EventName.class)
                        || ExternalizedEvents.areOf(type, markers);
            }
        };
    }

    @Override
    public void onApplicationEvent(ApplicationEvent published) {
        Object event = published instanceof PayloadApplicationEvent<?> payload ? payload.getPayload() : published;
        if (isSelected(event, published) && !isHandled(event)) {
            publisher().publish(event);
        }
    }

    private boolean isSelected(Object event, ApplicationEvent published) {
        return (event != published && selectors().stream().anyMatch(selector -> selector.selects(event)))
                || marked.get(event.getClass());
    }

    private List<SpringEventSelector> selectors() {
        List<SpringEventSelector> found = knownSelectors;
        if (found == null) {
            found = selectors.orderedStream().toList();
            knownSelectors = found;
        }
        return found;
    }

    /** The one whose transaction this thread is in; if there is none, it says what is missing. */
    private DomainEventPublisher publisher() {
        List<DomainEventPublisher> all = outboxes.stream()
                .map(outbox -> outbox.parts().entityPublisher())
                .filter(Objects::nonNull)
                .toList();
        if (all.size() < 2) {
            return publishers.getObject();
        }
        List<DomainEventPublisher> active =
                all.stream().filter(DomainEventPublisher::isInTransaction).toList();
        if (active.size() > 1) {
            throw new IllegalStateException("thread '" + Thread.currentThread().getName() + "' is in transactions of "
                    + active.size() + " outboxes at once: publish the event with the DomainEventPublisher of the one"
                    + " that is meant");
        }
        return active.isEmpty() ? all.get(0) : active.get(0);
    }

    @Override
    public void around(Call call) throws Exception {
        Handled outer = HANDLED.get();
        HANDLED.set(new Handled(call.objects(), outer));
        try {
            call.proceed();
        } finally {
            if (outer == null) {
                HANDLED.remove();
            } else {
                HANDLED.set(outer);
            }
        }
    }

    private boolean isHandled(Object event) {
        for (Handled call = HANDLED.get(); call != null; call = call.outer()) {
            if (call.objects().stream().anyMatch(object -> object == event)) {
                return true;
            }
        }
        return false;
    }

    /** It has to run in the transaction of the publisher, whatever executor the application gives its listeners. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }
}
