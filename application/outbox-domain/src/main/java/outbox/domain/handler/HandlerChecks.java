package outbox.domain.handler;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import outbox.domain.TransactionRunner;
import outbox.domain.handler.Handler.Takes;
import outbox.domain.type.EventTypes;

/** Finds out, before the first event does, whether handlers can work together, and which of them takes which type. */
final class HandlerChecks {
    private static final Logger LOG = System.getLogger(EventHandlers.class.getName());

    private final List<Handler> handlers;

    HandlerChecks(List<Handler> handlers) {
        this.handlers = handlers;
    }

    void refuseSharedNames() {
        Map<String, Handler> byName = new HashMap<>();
        for (Handler handler : handlers) {
            Handler twin = byName.put(handler.name(), handler);
            if (twin != null) {
                throw new DuplicateHandlerNameException(
                        "two handlers have the name '" + handler.name() + "': " + twin.origin() + " and "
                                + handler.origin() + "; progress is stored by name, give each its own");
            }
        }
        for (Handler handler : handlers) {
            for (String former : handler.formerNames()) {
                Handler owner = byName.get(former);
                if (owner != null) {
                    throw new IllegalArgumentException(
                            "handler " + handler + " had the former name '" + former + "', which is that of " + owner);
                }
            }
        }
    }

    /** What handlers take. Concrete classes register themselves; interfaces take what is registered. */
    Set<Class<?>> classes() {
        Set<Class<?>> classes = new LinkedHashSet<>();
        for (Handler handler : handlers) {
            if (handler.takes() instanceof Takes.Objects objects
                    && !objects.eventClass().isInterface()
                    && !Modifier.isAbstract(objects.eventClass().getModifiers())
                    && objects.eventClass() != Object.class) {
                classes.add(objects.eventClass());
            }
        }
        return classes;
    }

    /** The handlers of each type that is known; every handler has one, a route may be for types that nobody knows yet. */
    Map<String, List<Handler>> route(EventTypes types) {
        Map<String, List<Handler>> byType = new LinkedHashMap<>();
        for (Handler handler : handlers) {
            Set<String> names = namesFor(handler, types);
            if (names.isEmpty() && handler.takes() instanceof Takes.Objects) {
                throw new IllegalArgumentException("handler " + handler + " takes no event that is registered;"
                        + " register the events it means with EventTypes");
            }
            names.forEach(name ->
                    byType.computeIfAbsent(name, any -> new ArrayList<>()).add(handler));
        }
        return byType;
    }

    private static Set<String> namesFor(Handler handler, EventTypes types) {
        Set<String> names = new LinkedHashSet<>();
        for (String name : types.names()) {
            boolean wanted = handler.takes() instanceof Takes.Objects objects
                    ? objects.eventClass().isAssignableFrom(Objects.requireNonNull(types.classOf(name)))
                    : ((Takes.Envelopes) handler.takes()).take(name);
            if (wanted) {
                names.add(name);
            }
        }
        return names;
    }

    /** Those that go by names, not by classes. */
    List<Handler> routes() {
        return handlers.stream()
                .filter(handler -> handler.takes() instanceof Takes.Envelopes)
                .toList();
    }

    /** Two routes that an event of a type nobody knows yet would both take, or {@code null}. */
    private @Nullable String overlap() {
        List<Handler> routes = routes();
        for (int i = 0; i < routes.size(); i++) {
            for (int j = i + 1; j < routes.size(); j++) {
                if (((Takes.Envelopes) routes.get(i).takes())
                        .overlap((Takes.Envelopes) routes.get(j).takes())) {
                    return "routes '" + routes.get(i).name() + "' and '"
                            + routes.get(j).name() + "' can take the same event";
                }
            }
        }
        return null;
    }

    void refuseMissingParts(
            Map<String, List<Handler>> byType,
            @Nullable EventConsumptionTracker tracker,
            @Nullable TransactionRunner transactions) {
        for (Handler handler : handlers) {
            if (!handler.transactional()) {
                continue;
            }
            if (handler.takes() instanceof Takes.Envelopes) {
                throw new IllegalArgumentException("route '" + handler.name()
                        + "' cannot be transactional: what it sends is not undone by a rollback");
            }
            if (tracker == null || !tracker.isTransactional()) {
                throw new IllegalArgumentException("handler " + handler + " is transactional: it needs a tracker(...)"
                        + " in the same database, such as JdbcEventConsumptionTracker");
            }
            if (transactions == null) {
                throw new IllegalArgumentException(
                        "handler " + handler + " is transactional: it needs transactions(...)");
            }
        }
        String overlap = tracker == null ? overlap() : null;
        if (overlap != null) {
            throw new IllegalArgumentException(overlap + ": they need a tracker(...) that remembers which of them has"
                    + " it, such as JdbcEventConsumptionTracker");
        }
        byType.forEach((type, members) -> {
            if (tracker == null && members.size() > 1) {
                throw new IllegalArgumentException("event type '" + type + "' has " + members.size() + " handlers, "
                        + members.stream().map(Handler::name).toList()
                        + ": they need a tracker(...) that remembers which of them consumed an event, such as"
                        + " JdbcEventConsumptionTracker");
            }
        });
    }

    /** Whether a row alone cannot tell how far its handlers are. */
    boolean needTracker(Map<String, List<Handler>> byType) {
        return handlers.stream().anyMatch(Handler::transactional)
                || overlap() != null
                || byType.values().stream().anyMatch(members -> members.size() > 1);
    }

    /** @return names with open progress that nobody handles */
    Set<String> reportUnknownNames(EventConsumptionTracker tracker, Set<String> retired) {
        tracker.verify();
        Set<String> unknown;
        try {
            unknown = new TreeSet<>(tracker.openHandlers());
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "could not look for progress under names that nobody handles; rows that have some end dead",
                    e);
            return Set.of();
        }
        unknown.removeAll(retired);
        unknown.removeIf(name -> handlers.stream().anyMatch(handler -> handler.isKnownAs(name)));
        if (!unknown.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "nobody handles events under the names " + unknown + " any more, but some events are not consumed"
                            + " under them; those will be dead. If a handler was renamed, give it formerNames; if it"
                            + " is gone on purpose, call retired(...)");
        }
        return Set.copyOf(unknown);
    }
}
