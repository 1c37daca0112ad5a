package outbox.control.act;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Redelivery;
import outbox.control.source.Application;
import outbox.control.source.NodeReader;
import outbox.jdbc.payload.PayloadTable;
import outbox.spi.DuplicateEventException;
import outbox.spi.StoredPayload;
import outbox.spi.UnitOfWork;
import outbox.util.EventTypePattern;
import outbox.util.Ulid;

/**
 * Writes copies of delivered events for one handler. The id of a copy follows from the operation, the event and the time
 * the event was taken, so that a copy that was written before a server stopped is not written again.
 */
final class Redeliveries {
    /** Nodes shorten their texts to this; a longer list of event types is incomplete. */
    private static final int MAX_DETAIL = 500;

    private static final int TIME_BYTES = 6;

    private final Application application;
    private final Operation operation;
    private final String handler;
    private final List<EventTypePattern> types;

    private Redeliveries(Application application, Operation operation, String handler, List<EventTypePattern> types) {
        this.application = application;
        this.operation = operation;
        this.handler = handler;
        this.types = types;
    }

    /** What became of one event. */
    sealed interface Result {
        void addTo(OperationStore.Results results, String eventId);

        /** @param id of the copy */
        record Written(String id) implements Result {
            @Override
            public void addTo(OperationStore.Results results, String eventId) {
                results.copies().put(eventId, id);
            }
        }

        /** Nothing was written. */
        record Refused(String why) implements Result {
            @Override
            public void addTo(OperationStore.Results results, String eventId) {
                results.refused().put(eventId, why);
            }
        }
    }

    static Redeliveries of(OperationTarget target, Operation operation) throws SQLException {
        String handler = Objects.requireNonNull(operation.handler());
        return new Redeliveries(
                target.application(), operation, handler, typesOf(new NodeReader(target.application()), handler));
    }

    /** @throws IllegalArgumentException if it is a redelivery to a handler that no node reports */
    static void check(OperationTarget target, OperationRequest request) throws SQLException {
        if (request.action() != EventAction.REDELIVER) {
            return;
        }
        if (target.application().isDeliveredFromLog()) {
            throw new IllegalArgumentException(
                    "the events of '" + target.application().name()
                            + "' are delivered by CDC, and their rows do not show which were delivered; clone single events");
        }
        TreeSet<String> known = new NodeReader(target.application())
                .handlers().stream().map(NodeReader.Handler::name).collect(Collectors.toCollection(TreeSet::new));
        if (!known.contains(Objects.requireNonNull(request.handler()))) {
            throw new IllegalArgumentException("no node reports a handler '" + request.handler() + "'; "
                    + (known.isEmpty() ? "there are no heartbeats of nodes" : "known are " + String.join(", ", known)));
        }
    }

    /** The event types that nodes report for a handler; empty if they do not say. */
    private static List<EventTypePattern> typesOf(NodeReader nodes, String handler) throws SQLException {
        return nodes.handlers().stream()
                .filter(one -> one.name().equals(handler)
                        && one.kind().equals("handler")
                        && !one.detail().isEmpty()
                        && one.detail().length() < MAX_DETAIL)
                .flatMap(one -> Arrays.stream(one.detail().split(", ", -1)))
                .distinct()
                .map(EventTypePattern::new)
                .toList();
    }

    Result write(String eventId, Instant takenAt) throws SQLException {
        String id = idOf(eventId, takenAt);
        try {
            return UnitOfWork.run(application.dataSource()::getConnection, conn -> {
                EventClone.Original original = EventClone.read(conn, application, eventId);
                String refusal = original == null ? "it is no longer in the table" : refusal(original);
                if (original == null || refusal != null) {
                    return new Result.Refused(Objects.requireNonNull(refusal));
                }
                PayloadTable payloads = PayloadTable.of(application.store());
                if (original.isElsewhere() && !payloads.lock(conn, eventId)) {
                    return new Result.Refused("its payload is gone from table " + payloads);
                }
                application.store().insertNew(conn, copy(id, eventId, original, takenAt));
                if (original.isElsewhere()) {
                    payloads.copy(conn, eventId, id);
                }
                return new Result.Written(id);
            });
        } catch (DuplicateEventException e) { // written by a server that stopped before it stored the result
            return new Result.Written(id);
        }
    }

    private @Nullable String refusal(EventClone.Original original) {
        if (!original.done()) {
            return "it is not delivered";
        }
        String of = original.headers().get(Redelivery.OF);
        if (of != null) {
            return "it is itself a redelivery, of " + of;
        }
        if (!types.isEmpty() && types.stream().noneMatch(type -> type.matches(original.type()))) {
            return handler + " does not handle events of type " + original.type();
        }
        String sealed = EventClone.sealedPart(original.payload(), original.headers());
        return sealed == null ? null : "its " + sealed + " is encrypted and bound to its id";
    }

    private EventEnvelope copy(String id, String eventId, EventClone.Original original, Instant takenAt) {
        EventEnvelope.Builder copy = EventEnvelope.builder(original.type())
                .eventId(id)
                .occurredAt(takenAt)
                .aggregateType(original.aggregateType())
                .aggregateId(original.aggregateId())
                .tenantId(original.tenant());
        Map<String, String> headers = new LinkedHashMap<>(original.headers());
        headers.putAll(Redelivery.headers(id, eventId, handler));
        headers.forEach(copy::header);
        return StoredPayload.decode(original.payload(), copy).build();
    }

    /** A ULID of that time. */
    private String idOf(String eventId, Instant takenAt) {
        byte[] bytes = digest(operation.id() + " " + eventId);
        byte[] time = Ulid.toBytes(Ulid.timePrefix(takenAt) + "0".repeat(16));
        System.arraycopy(time, 0, bytes, 0, TIME_BYTES);
        return Ulid.fromBytes(Arrays.copyOf(bytes, 16));
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no SHA-256", e);
        }
    }
}
