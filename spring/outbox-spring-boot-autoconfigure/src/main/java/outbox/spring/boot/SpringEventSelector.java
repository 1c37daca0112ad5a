package outbox.spring.boot;

/**
 * Selects objects that become outbox events when they are published with {@code ApplicationEventPublisher}, beside domain
 * events and classes with {@code @EventName}. A bean; with several, one is enough. The class of a selected object must be
 * a registered event type, because rows are read only as registered classes. Called on the publishing thread for every
 * other event of the application, so it should be fast. Thread-safe.
 */
@FunctionalInterface
public interface SpringEventSelector {
    boolean selects(Object event);
}
