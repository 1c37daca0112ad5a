package outbox.domain.handler;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.domain.handler.Handler.Handled;
import outbox.domain.handler.Handler.Invocation;
import outbox.domain.handler.Handler.Takes;

/** Finds methods marked as handlers and checks their signatures. */
final class HandlerScanner {
    private HandlerScanner() {}

    /** What a parameter of the method gets for one event. */
    private sealed interface Argument {
        @Nullable
        Object of(Handled handled);

        record Event() implements Argument {
            @Override
            public @Nullable Object of(Handled handled) {
                return handled.event();
            }
        }

        record Envelope() implements Argument {
            @Override
            public Object of(Handled handled) {
                return handled.envelope();
            }
        }

        record Headers() implements Argument {
            @Override
            public Object of(Handled handled) {
                return handled.envelope().headers();
            }
        }

        record Header(String name) implements Argument {
            @Override
            public @Nullable Object of(Handled handled) {
                return handled.envelope().headers().get(name);
            }
        }

        record Id() implements Argument {
            @Override
            public Object of(Handled handled) {
                return handled.envelope().eventId();
            }
        }

        record AttemptNumber() implements Argument {
            @Override
            public Object of(Handled handled) {
                return handled.attempt();
            }
        }

        record IsLastAttempt() implements Argument {
            @Override
            public Object of(Handled handled) {
                return handled.envelope().isLastAttempt();
            }
        }
    }

    static boolean hasHandlers(Class<?> type, HandlerMark<?> mark) {
        return !annotatedMethods(type, mark).isEmpty();
    }

    /** @throws IllegalArgumentException if there is no handler, or its signature is invalid */
    static List<HandlerDefinition> scan(Object target, Class<?> type, HandlerMark<?> mark) {
        List<Method> methods = annotatedMethods(type, mark);
        if (methods.isEmpty()) {
            throw new IllegalArgumentException(type.getName() + " has no method with " + mark);
        }
        return methods.stream()
                .map(method -> definition(target, type, method, mark))
                .toList();
    }

    private static List<Method> annotatedMethods(Class<?> type, HandlerMark<?> mark) {
        List<Method> found = new ArrayList<>();
        Map<String, Method> nearest = new HashMap<>();
        for (Class<?> level : levelsOf(type)) {
            Method[] methods = level.getDeclaredMethods();
            Arrays.sort(methods, Comparator.comparing(Method::toString)); // the JVM guarantees no order
            for (Method method : methods) {
                boolean handler = mark.of(method) != null;
                boolean own = Modifier.isPrivate(method.getModifiers());
                Method override = own ? null : nearest.putIfAbsent(signature(method), method);
                if (override == null) {
                    if (handler && !method.isBridge()) {
                        found.add(method);
                    }
                } else if (handler && mark.of(override) == null) {
                    throw wrong(
                            method,
                            override.getDeclaringClass().getName() + " overrides it without " + mark + ", which is not"
                                    + " inherited: repeat it there");
                }
            }
        }
        return found;
    }

    /** The class and its superclasses, then their interfaces: nearer ones first. */
    private static Set<Class<?>> levelsOf(Class<?> type) {
        Set<Class<?>> levels = new LinkedHashSet<>();
        for (Class<?> level = type; level != null && level != Object.class; level = level.getSuperclass()) {
            levels.add(level);
        }
        for (Class<?> level : List.copyOf(levels)) {
            addInterfaces(level, levels);
        }
        return levels;
    }

    private static void addInterfaces(Class<?> type, Set<Class<?>> levels) {
        for (Class<?> direct : type.getInterfaces()) {
            levels.add(direct);
            addInterfaces(direct, levels);
        }
    }

    private static String signature(Method method) {
        return method.getName() + Arrays.toString(method.getParameterTypes());
    }

    private static HandlerDefinition definition(Object target, Class<?> type, Method method, HandlerMark<?> mark) {
        EventHandler annotation = mark.of(method);
        if (annotation == null) {
            throw new AssertionError(method);
        }
        if (method.getReturnType() != void.class) {
            throw wrong(method, "it must return void, because the result would be ignored");
        }
        List<Argument> arguments = new ArrayList<>();
        Class<?> eventClass = null;
        boolean takesLists = Arrays.asList(method.getParameterTypes()).contains(List.class);
        for (Parameter parameter : method.getParameters()) {
            Type declared = parameter.getParameterizedType();
            Type element = takesLists ? elementOf(declared) : declared;
            Argument argument = argumentOf(method, parameter, element);
            if (arguments.contains(argument)) {
                throw wrong(
                        method, "it takes more than one " + argument.getClass().getSimpleName());
            }
            arguments.add(argument);
            if (argument instanceof Argument.Event) {
                if (!(element instanceof Class<?> plain) || plain.isPrimitive() || plain.isArray()) {
                    throw wrong(method, "the event must be of a plain class or interface, not " + element);
                }
                eventClass = plain;
            }
        }
        if (eventClass == null) {
            throw wrong(method, "it takes no event");
        }
        if (takesLists
                && !arguments.stream()
                        .allMatch(argument ->
                                argument instanceof Argument.Event || argument instanceof Argument.Envelope)) {
            throw wrong(method, "a batch has no common headers, id and attempt: use List<EventEnvelope>");
        }
        method.setAccessible(true);
        String name = annotation.name().isEmpty()
                ? type.getSimpleName() + "." + method.getName() + "(" + eventClass.getSimpleName() + ")"
                : annotation.name();
        return new HandlerDefinition(
                name,
                describe(method),
                new Takes.Objects(eventClass),
                takesLists ? batchCall(target, method, arguments) : singleCall(target, method, arguments),
                options(method, annotation),
                maxBatch(method, annotation, takesLists),
                annotation.retry().isEmpty() ? null : annotation.retry());
    }

    private static Argument argumentOf(Method method, Parameter parameter, Type element) {
        EventHeader header = parameter.getAnnotation(EventHeader.class);
        if (header != null) {
            return annotated(method, parameter, String.class, new Argument.Header(header.value()));
        }
        if (parameter.isAnnotationPresent(EventId.class)) {
            return annotated(method, parameter, String.class, new Argument.Id());
        }
        if (parameter.isAnnotationPresent(Attempt.class)) {
            return annotated(method, parameter, int.class, new Argument.AttemptNumber());
        }
        if (parameter.isAnnotationPresent(LastAttempt.class)) {
            return annotated(method, parameter, boolean.class, new Argument.IsLastAttempt());
        }
        if (element == EventEnvelope.class) {
            return new Argument.Envelope();
        }
        boolean headers = parameter.getParameterizedType() instanceof ParameterizedType map
                && map.getRawType() == Map.class
                && Arrays.equals(map.getActualTypeArguments(), new Type[] {String.class, String.class});
        return headers ? new Argument.Headers() : new Argument.Event();
    }

    private static Argument annotated(Method method, Parameter parameter, Class<?> expected, Argument argument) {
        if (parameter.getType() != expected) {
            throw wrong(
                    method,
                    "the parameter for " + argument + " must be of type " + expected.getSimpleName() + ", not "
                            + parameter.getType().getSimpleName());
        }
        return argument;
    }

    private static Type elementOf(Type parameter) {
        return parameter instanceof ParameterizedType list && list.getRawType() == List.class
                ? list.getActualTypeArguments()[0]
                : parameter;
    }

    private static HandlerOptions options(Method method, EventHandler annotation) {
        try {
            return HandlerOptions.of(annotation);
        } catch (IllegalArgumentException e) {
            throw wrong(method, e.getMessage());
        }
    }

    private static int maxBatch(Method method, EventHandler annotation, boolean takesLists) {
        int batch = annotation.batch();
        if (batch < 0) {
            throw wrong(method, "batch must be positive: " + batch);
        }
        if (!takesLists && batch > 1) {
            throw wrong(method, "it has batch = " + batch + " but takes one event: use a List parameter");
        }
        if (batch == 0) {
            return takesLists ? HandlerOptions.DEFAULT_BATCH : 1;
        }
        return batch;
    }

    private static Invocation singleCall(Object target, Method method, List<Argument> arguments) {
        return new Invocation.Returning(
                events -> invoke(target, method, arguments, argument -> argument.of(events.get(0))));
    }

    private static Invocation batchCall(Object target, Method method, List<Argument> arguments) {
        return new Invocation.Returning(events -> invoke(
                target,
                method,
                arguments,
                argument -> events.stream().map(argument::of).toList()));
    }

    /** Provides the value of one parameter. */
    private interface Values {
        @Nullable
        Object of(Argument argument);
    }

    private static void invoke(Object target, Method method, List<Argument> arguments, Values values) throws Exception {
        @Nullable Object[] parameters = new Object[arguments.size()];
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] = values.of(arguments.get(i));
        }
        try {
            method.invoke(target, parameters);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    private static IllegalArgumentException wrong(Method method, @Nullable String what) {
        return new IllegalArgumentException(
                "handler method " + describe(method) + " cannot be called: " + what
                        + "; expected is void method(Event [, EventEnvelope] [, Map<String, String> headers] [, @EventId String]"
                        + " [, @EventHeader(name) String] [, @Attempt int]) or void method(List<Event> [, List<EventEnvelope>])");
    }

    private static String describe(Method method) {
        return method.getDeclaringClass().getName() + "." + method.getName()
                + Arrays.stream(method.getGenericParameterTypes())
                        .map(type -> type.getTypeName().replaceAll("[a-z0-9_]+\\.", ""))
                        .collect(Collectors.joining(", ", "(", ")"));
    }
}
