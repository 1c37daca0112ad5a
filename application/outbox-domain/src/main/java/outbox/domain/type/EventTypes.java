package outbox.domain.type;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import outbox.domain.DomainEvent;
import outbox.domain.EventName;

/**
 * Registry of event type names, classes, versions and upcasters. Rows are only read as registered classes. Immutable
 * and thread-safe.
 *
 * <pre>{@code
 * EventTypes types = EventTypes.builder()
 *     .register(OrderPlaced.class)                      // by @EventName, else by class name
 *     .register("payment.taken", PaymentTaken.class)
 *     .upcaster(Upcaster.of("order.placed", 1, json -> json.replace("amount", "cents")))
 *     .naming(EventNaming.DOMAIN_ACTION)
 *     .build();
 * }</pre>
 */
public final class EventTypes {
    /** Size of the column {@code event_type}. */
    private static final int MAX_NAME = 128;

    private final Map<Class<?>, Registration> byClass;
    private final Map<String, Registration> byName;
    private final Map<String, SortedMap<Integer, Upcaster>> upcasters;
    private final EventNaming naming;

    private EventTypes(Builder builder) {
        this.byClass = Map.copyOf(builder.byClass);
        this.byName = Collections.unmodifiableMap(new LinkedHashMap<>(builder.byName));
        this.upcasters = Map.copyOf(builder.upcasters);
        this.naming = builder.naming;
    }

    record Registration(String name, int version, Class<?> type) {
        @Override
        public String toString() {
            return name + " (version " + version + ", " + type.getName() + ")";
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** All registered names, including former ones. */
    public Set<String> names() {
        return byName.keySet();
    }

    /** The class that is registered for a name, or {@code null}. */
    public @Nullable Class<?> classOf(String eventType) {
        Registration registration = byName.get(eventType);
        return registration == null ? null : registration.type();
    }

    /**
     * The name under which events of a class are written: the registered one, that of {@link EventName}, or the class
     * name of a {@link DomainEvent}.
     *
     * @throws IllegalArgumentException if it is not an event class, or the name violates the naming rule or is too long
     */
    public String nameOf(Class<?> type) {
        Registration registration = byClass.get(type);
        if (registration != null) {
            return registration.name();
        }
        if (!DomainEvent.class.isAssignableFrom(type) && !type.isAnnotationPresent(EventName.class)) {
            throw new IllegalArgumentException(type.getName() + " is no event type: give the class an @EventName,"
                    + " let it implement DomainEvent, or register it with EventTypes");
        }
        return checked(declaredName(type), naming);
    }

    /** The version of a written event: that of its class's registration, otherwise its own. */
    int versionOf(Object event) {
        Registration registration = byClass.get(event.getClass());
        if (registration != null) {
            return registration.version();
        }
        return event instanceof DomainEvent domainEvent ? domainEvent.version() : declaredVersion(event.getClass());
    }

    @Nullable
    Registration registration(String eventType) {
        return byName.get(eventType);
    }

    /** The upcaster from one version, or {@code null}. */
    @Nullable
    Upcaster upcaster(String eventType, int fromVersion) {
        Map<Integer, Upcaster> chain = upcasters.get(eventType);
        return chain == null ? null : chain.get(fromVersion);
    }

    /** These types and further classes, such as those of handlers. */
    public EventTypes plus(Iterable<? extends Class<?>> types) {
        Builder more = new Builder();
        more.byClass.putAll(byClass);
        more.byName.putAll(byName);
        more.upcasters.putAll(upcasters);
        more.naming = naming;
        for (Class<?> type : types) {
            if (!byClass.containsKey(type)) {
                more.register(type);
            }
        }
        return more.build();
    }

    private static String declaredName(Class<?> type) {
        EventName declared = type.getAnnotation(EventName.class);
        return declared == null ? type.getName() : declared.value();
    }

    private static int declaredVersion(Class<?> type) {
        EventName declared = type.getAnnotation(EventName.class);
        return declared == null ? EventName.FIRST_VERSION : declared.version();
    }

    private static String checked(String name, EventNaming naming) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("name of an event type must not be blank");
        }
        if (name.length() > MAX_NAME) {
            throw new IllegalArgumentException("event type has " + name.length() + " characters, but the column allows "
                    + MAX_NAME + ": " + name + "; use a shorter @EventName");
        }
        return naming.check(name);
    }

    /** Collects types; not thread-safe. */
    public static final class Builder {
        private final Map<Class<?>, Registration> byClass = new HashMap<>();
        private final Map<String, Registration> byName = new LinkedHashMap<>();
        private final List<Upcaster> added = new ArrayList<>();
        private final Map<String, SortedMap<Integer, Upcaster>> upcasters = new HashMap<>();
        private EventNaming naming = EventNaming.FREE;

        private Builder() {}

        /** Under the name and version of {@link EventName}; else under its class name, in version 1. */
        public Builder register(Class<?>... types) {
            for (Class<?> type : types) {
                register(declaredName(type), type);
            }
            return this;
        }

        /** Under this name, in the version of {@link EventName}, or 1. */
        public Builder register(String name, Class<?> type) {
            return register(name, declaredVersion(type), type);
        }

        /** @throws IllegalArgumentException if the name is used by another class, or the class has another name */
        public Builder register(String name, int version, Class<?> type) {
            if (version < EventName.FIRST_VERSION) {
                throw new IllegalArgumentException("version of event type " + name + " must be at least 1: " + version);
            }
            Registration registration = new Registration(name, version, Objects.requireNonNull(type, "type"));
            Registration sameClass = byClass.put(type, registration);
            if (sameClass != null && !sameClass.equals(registration)) {
                throw new IllegalArgumentException(
                        type.getName() + " is registered as " + sameClass + " and cannot also be " + name);
            }
            put(name, registration);
            EventName declared = type.getAnnotation(EventName.class);
            if (declared != null) {
                for (String former : declared.formerNames()) {
                    put(former, registration);
                }
            }
            return this;
        }

        /** Reads rows with a former name as this class, which must be registered already. */
        public Builder formerName(String former, Class<?> type) {
            Registration registration = byClass.get(type);
            if (registration == null) {
                throw new IllegalArgumentException(type.getName() + " is not registered: register it before " + former);
            }
            put(former, registration);
            return this;
        }

        private void put(String name, Registration registration) {
            Registration present = byName.putIfAbsent(name, registration);
            if (present != null && !present.equals(registration)) {
                throw new IllegalArgumentException("event type '" + name + "' is already used for " + present
                        + " and cannot also be used for " + registration);
            }
        }

        public Builder upcaster(Upcaster upcaster) {
            added.add(Objects.requireNonNull(upcaster, "upcaster"));
            return this;
        }

        /** Default {@link EventNaming#FREE}. Former names are not checked. */
        public Builder naming(EventNaming naming) {
            this.naming = Objects.requireNonNull(naming, "naming");
            return this;
        }

        /** @throws IllegalArgumentException if a name violates the naming rule or the upcasters of a type have a gap */
        public EventTypes build() {
            byClass.values().forEach(registration -> checked(registration.name(), naming));
            for (Upcaster upcaster : added) {
                Upcaster twin = upcasters
                        .computeIfAbsent(upcaster.eventType(), name -> new TreeMap<>())
                        .put(upcaster.fromVersion(), upcaster);
                if (twin != null) {
                    throw new IllegalArgumentException(
                            "two upcasters from version " + upcaster.fromVersion() + " of " + upcaster.eventType());
                }
            }
            upcasters.forEach(this::checkChain);
            return new EventTypes(this);
        }

        private void checkChain(String name, SortedMap<Integer, Upcaster> chain) {
            Registration registration = byName.get(name);
            if (registration == null || !registration.name().equals(name)) {
                throw new IllegalArgumentException("upcaster for event type '" + name + "', which is not registered");
            }
            Set<Integer> needed = new HashSet<>();
            for (int version = chain.firstKey(); version < registration.version(); version++) {
                needed.add(version);
            }
            if (!needed.equals(chain.keySet())) {
                throw new IllegalArgumentException("upcasters of " + registration + " start from versions "
                        + chain.keySet() + ", but to reach version " + registration.version() + " they must be "
                        + needed);
            }
        }
    }
}
