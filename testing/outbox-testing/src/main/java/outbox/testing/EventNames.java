package outbox.testing;

import java.lang.annotation.Annotation;

/** The name under which events of a class are stored. */
final class EventNames {
    private static final String EVENT_NAME = "outbox.domain.EventName";

    private EventNames() {}

    /** The annotation is found by name: outbox-domain is tested with this module, so it cannot be a dependency. */
    static String of(Class<?> eventClass) {
        for (Annotation annotation : eventClass.getAnnotations()) {
            Class<? extends Annotation> type = annotation.annotationType();
            if (type.getName().equals(EVENT_NAME)) {
                try {
                    return (String) type.getMethod("value").invoke(annotation);
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException("cannot read " + annotation + " of " + eventClass.getName(), e);
                }
            }
        }
        return eventClass.getName();
    }
}
