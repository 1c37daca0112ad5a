package outbox.contracts;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All contracts of an application, by event type and version. Immutable and thread-safe.
 *
 * <pre>{@code
 * EventContracts contracts = EventContracts.fromClasspath("contracts"); // contracts/order.placed.v1.json, …
 * Outbox outbox = JdbcOutbox.multiNode(dataSource).writerHook(ContractCheck.rejecting(contracts)) …
 * }</pre>
 */
public final class EventContracts {
    /** The header with the version of an event's payload; an event without it is of version 1. */
    public static final String VERSION_HEADER = "eventVersion";

    private final Map<String, SortedMap<Integer, EventContract>> byType;

    private EventContracts(Map<String, SortedMap<Integer, EventContract>> byType) {
        this.byType = byType;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * All files {@code <event type>.v<version>.json} in a directory, and those of other {@link ContractLanguage}s.
     *
     * @throws InvalidContractException if a contract is invalid; files with other names are rejected too
     */
    public static EventContracts fromDirectory(Path directory) {
        return ContractFiles.inDirectory(directory);
    }

    /** As {@link #fromDirectory}, for a directory on the class path, in jars too. */
    public static EventContracts fromClasspath(String directory) {
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        return fromClasspath(directory, context == null ? EventContracts.class.getClassLoader() : context);
    }

    public static EventContracts fromClasspath(String directory, ClassLoader loader) {
        return ContractFiles.onClasspath(directory, loader);
    }

    /** @return {@code null} if there is none */
    public @Nullable EventContract find(String eventType, int version) {
        SortedMap<Integer, EventContract> versions = byType.get(eventType);
        return versions == null ? null : versions.get(version);
    }

    /** Whether there is a contract for any version of that type. */
    public boolean knows(String eventType) {
        return byType.containsKey(eventType);
    }

    /** Versions of a type, the lowest first; empty if it is not known. */
    public List<EventContract> versionsOf(String eventType) {
        SortedMap<Integer, EventContract> versions = byType.get(eventType);
        return versions == null ? List.of() : List.copyOf(versions.values());
    }

    /** All contracts, by type and version. */
    public List<EventContract> all() {
        List<EventContract> all = new ArrayList<>();
        byType.values().forEach(versions -> all.addAll(versions.values()));
        return Collections.unmodifiableList(all);
    }

    /** All event types, in the order of their names. */
    public Collection<String> eventTypes() {
        return Collections.unmodifiableSet(byType.keySet());
    }

    /** Collects contracts; not thread-safe. */
    public static final class Builder {
        private final SortedMap<String, SortedMap<Integer, EventContract>> byType = new TreeMap<>();

        private Builder() {}

        /** @throws InvalidContractException if the schema cannot be used, or there is one for that version already */
        public Builder add(String eventType, int version, String schemaJson) {
            Objects.requireNonNull(eventType, "eventType");
            return add(new EventContract(eventType, version, schemaJson));
        }

        Builder add(EventContract contract) {
            EventContract other = byType.computeIfAbsent(contract.eventType(), type -> new TreeMap<>())
                    .putIfAbsent(contract.version(), contract);
            if (other != null) {
                throw new InvalidContractException("there are two contracts for " + contract, null);
            }
            return this;
        }

        /**
         * A file that was read elsewhere, out of an archive for instance.
         *
         * @param fileName {@code <event type>.v<version>.json}
         * @throws InvalidContractException as {@link #add}, and if the name is another one
         */
        public Builder addFile(String fileName, String schemaJson) {
            ContractFiles.add(fileName, fileName, schemaJson.getBytes(StandardCharsets.UTF_8), this);
            return this;
        }

        public EventContracts build() {
            SortedMap<String, SortedMap<Integer, EventContract>> copy = new TreeMap<>();
            byType.forEach((type, versions) -> copy.put(type, new TreeMap<>(versions)));
            return new EventContracts(copy);
        }
    }
}
