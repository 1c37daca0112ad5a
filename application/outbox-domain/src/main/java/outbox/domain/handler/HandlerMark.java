package outbox.domain.handler;

import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An annotation that marks methods as handlers and has the attributes of {@link EventHandler}; it may have more. Immutable and
 * thread-safe.
 */
public final class HandlerMark<A extends Annotation> {
    /** {@link EventHandler} itself. */
    public static final HandlerMark<EventHandler> EVENT_HANDLER = new HandlerMark<>(EventHandler.class, any -> true);

    private final Class<A> annotation;
    private final Predicate<? super A> wanted;

    private HandlerMark(Class<A> annotation, Predicate<? super A> wanted) {
        this.annotation = annotation;
        this.wanted = wanted;
    }

    /**
     * @param wanted the annotated methods that count
     * @throws IllegalArgumentException if the annotation lacks an attribute
     */
    public static <A extends Annotation> HandlerMark<A> of(Class<A> annotation, Predicate<? super A> wanted) {
        for (Method attribute : EventHandler.class.getDeclaredMethods()) {
            try {
                Class<?> type =
                        annotation.getDeclaredMethod(attribute.getName()).getReturnType();
                if (type != attribute.getReturnType()) {
                    throw new IllegalArgumentException("attribute " + attribute.getName() + " of @"
                            + annotation.getSimpleName() + " is of " + type + ", not of " + attribute.getReturnType());
                }
            } catch (NoSuchMethodException e) {
                throw new IllegalArgumentException(
                        "@" + annotation.getSimpleName() + " lacks the attribute " + attribute.getName(), e);
            }
        }
        return new HandlerMark<>(annotation, Objects.requireNonNull(wanted, "wanted"));
    }

    public Class<A> annotation() {
        return annotation;
    }

    /** The attributes of a marked method; {@code null} if it is not marked. */
    @Nullable
    EventHandler of(Method method) {
        A mark = method.getAnnotation(annotation);
        if (mark == null || !wanted.test(mark)) {
            return null;
        }
        return mark instanceof EventHandler handler ? handler : asEventHandler(mark);
    }

    private EventHandler asEventHandler(A mark) {
        InvocationHandler attributes = (proxy, method, arguments) -> {
            try {
                return annotation.getMethod(method.getName()).invoke(mark);
            } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        };
        return (EventHandler) Proxy.newProxyInstance(
                HandlerMark.class.getClassLoader(), new Class<?>[] {EventHandler.class}, attributes);
    }

    /** Such as {@code @EventHandler}. */
    @Override
    public String toString() {
        return "@" + annotation.getSimpleName();
    }
}
