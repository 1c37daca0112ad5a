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

/** Validates handlers at startup, and determines the handlers of each event type. */
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
                    throw new IllegalArgumentException("handler " + handler + " has the former name '" + former
                            + "', which is the name of " + owner);
                }
            }
        }
    }

    /** Adds the event classes of handlers. Concrete classes are registered; interfaces match registered classes. */
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

    /**
     * The handlers of each known type. Every handler has at least one; a route may match types that are not known yet.
     */
    Map<String, List<Handler>> route(EventTypes types) {
        Map<String, List<Handler>> byType = new LinkedHashMap<>();
        for (Handler handler : handlers) {
            Set<String> names = namesFor(handler, types);
            if (names.isEmpty() && handler.takes() instanceof Takes.Objects) {
                throw new IllegalArgumentException("handler " + handler + " matches no registered event;"
                        + " register its events with EventTypes");
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

    /** Handlers by type name, not by class. */
    List<Handler> routes() {
        return handlers.stream()
                .filter(handler -> handler.takes() instanceof Takes.Envelopes)
                .toList();
    }

    /** Two routes that can both match an event of an unknown type, or {@code null}. */
    private @Nullable String overlap() {
        List<Handler> routes = routes();
        for (int i = 0; i < routes.size(); i++) {
            for (int j = i + 1; j < routes.size(); j++) {
                if (((Takes.Envelopes) routes.get(i).takes())
                        .overlap((Takes.Envelopes) routes.get(j).takes())) {
                    return "routes '" + routes.get(i).name() + "' and '"
                            + routes.get(j).name() + "' can match the same event";
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
                        + "' cannot be transactional: a rollback does not undo what it sent");
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
            throw new IllegalArgumentException(overlap + ": they need a tracker(...) that stores which of them has sent"
                    + " it, such as JdbcEventConsumptionTracker");
        }
        byType.forEach((type, members) -> {
            if (tracker == null && members.size() > 1) {
                throw new IllegalArgumentException("event type '" + type + "' has " + members.size() + " handlers, "
                        + members.stream().map(Handler::name).toList()
                        + ": they need a tracker(...) that stores which of them handled an event, such as"
                        + " JdbcEventConsumptionTracker");
            }
        });
    }

    /** Whether the row alone cannot represent the progress of its handlers. */
    boolean needTracker(Map<String, List<Handler>> byType) {
        return handlers.stream().anyMatch(Handler::transactional)
                || overlap() != null
                || byType.values().stream().anyMatch(members -> members.size() > 1);
    }

    /** @return names with open progress but without a handler */
    Set<String> reportUnknownNames(EventConsumptionTracker tracker, Set<String> retired) {
        tracker.verify();
        Set<String> unknown;
        try {
            unknown = new TreeSet<>(tracker.openHandlers());
        } catch (RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "could not check for progress of missing handlers; events with such progress become dead letters",
                    e);
            return Set.of();
        }
        unknown.removeAll(retired);
        unknown.removeIf(name -> handlers.stream().anyMatch(handler -> handler.isKnownAs(name)));
        if (!unknown.isEmpty()) {
            LOG.log(
                    Level.WARNING,
                    "there are no handlers named " + unknown + " any more, but some events are still open"
                            + " for them; these will become dead letters. If a handler was renamed, add formerNames; if it"
                            + " was removed on purpose, call retired(...)");
        }
        return Set.copyOf(unknown);
    }
}
