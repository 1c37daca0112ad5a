package outbox.control.act;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.Redelivery;
import outbox.control.source.Application;
import outbox.jdbc.payload.PayloadTable;
import outbox.model.EventStatus;
import outbox.node.db.Sql;
import outbox.spi.StoredPayload;
import outbox.spi.UnitOfWork;

/** Writes a copy of an event as a new event. Stateless, thread-safe. */
public final class EventClone {
    /** Header of the new event with the id of the original. */
    public static final String ORIGIN_HEADER = "outbox-cloned-from";

    /** Prefix of the names of changed headers, see {@link Change}. */
    public static final String HEADER = "header ";

    /** How {@code outbox-encryption} marks what it encrypted, in payloads and headers. */
    private static final String SEALED = "$outbox.sealed";

    private EventClone() {}

    /**
     * The original is encrypted, and encrypted data is bound to the event id and cannot be decrypted under another one; or its
     * large payload is gone.
     */
    public static final class NotClonableException extends RuntimeException {
        private NotClonableException(String eventId, String what) {
            super("event " + eventId + " cannot be cloned: its " + what
                    + "; replace it, or have the application write the event again");
        }
    }

    /** A caller who may not read a payload could otherwise have it delivered to another tenant or consumer. */
    public static final class UnseenException extends RuntimeException {
        private UnseenException(String field) {
            super("to change " + field + " without entering a new payload requires the permission payload: the present"
                    + " payload would be delivered elsewhere");
        }
    }

    /**
     * Changes to the original; {@code null} means unchanged.
     *
     * @param payload a JSON text
     * @param headers {@code null} as a value removes a header
     */
    public record Edits(
            @Nullable String type,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            @Nullable String tenant,
            @Nullable String payload,
            Map<String, @Nullable String> headers) {}

    /**
     * A field that differs from the original.
     *
     * @param field such as {@code tenant}, {@code header trace-id} or {@code payload}
     * @param from of a payload its digest, not its text
     */
    public record Change(
            String field, @Nullable String from, @Nullable String to) {}

    /** @param id of the new event */
    public record Written(String id, List<Change> changes) {}

    /** @param done whether it was delivered or skipped */
    record Original(
            String type,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            @Nullable String tenant,
            String payload,
            Map<String, String> headers,
            boolean done) {
        /** Whether the row has a reference in place of its payload. */
        boolean isElsewhere() {
            return headers.containsKey(PayloadTable.HEADER);
        }
    }

    /**
     * Reads the original and writes the new one in one transaction.
     *
     * @return {@code null} if there is no original
     * @throws IllegalArgumentException if the edits are invalid, such as a payload that is not JSON
     * @param readable whether the caller may read the payload of the original
     * @throws NotClonableException if encrypted data would be copied, or there is no payload to copy
     * @throws UnseenException if a payload that is not readable would be sent with other fields than its own
     */
    public static @Nullable Written write(Application application, String eventId, Edits edits, boolean readable)
            throws SQLException {
        return UnitOfWork.run(application.dataSource()::getConnection, conn -> {
                    Original original = read(conn, application, eventId);
                    if (original == null) {
                        return Optional.<Written>empty();
                    }
                    List<Change> changes = changes(original, edits);
                    if (!readable && edits.payload() == null && !changes.isEmpty()) {
                        throw new UnseenException(changes.get(0).field());
                    }
                    boolean elsewhere = edits.payload() == null && original.isElsewhere();
                    PayloadTable payloads = PayloadTable.of(application.store());
                    if (elsewhere && !payloads.lock(conn, eventId)) {
                        throw new NotClonableException(eventId, "payload is gone from table " + payloads);
                    }
                    EventEnvelope event = edited(original, eventId, edits);
                    application.store().insertNew(conn, event);
                    if (elsewhere) {
                        payloads.copy(conn, eventId, event.eventId());
                    }
                    return Optional.of(new Written(event.eventId(), changes));
                })
                .orElse(null);
    }

    static @Nullable Original read(Connection conn, Application application, String eventId) throws SQLException {
        return new Sql(
                        application.flavor(),
                        "SELECT event_type, aggregate_type, aggregate_id, tenant_id, payload, headers, status FROM "
                                + application.table() + " WHERE event_id = ?",
                        eventId)
                .first(
                        conn,
                        row -> new Original(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5),
                                application.store().jsonCodec().parseObject(row.getString(6)),
                                row.getInt(7) == EventStatus.DONE.code()));
    }

    private static EventEnvelope edited(Original original, String eventId, Edits edits) {
        EventEnvelope.Builder event = EventEnvelope.builder(Objects.requireNonNullElse(edits.type(), original.type()))
                .aggregateType(edits.aggregateType() == null ? original.aggregateType() : edits.aggregateType())
                .aggregateId(edits.aggregateId() == null ? original.aggregateId() : edits.aggregateId())
                .tenantId(edits.tenant() == null ? original.tenant() : edits.tenant());
        Map<String, String> headers = new LinkedHashMap<>(original.headers());
        headers.remove(Redelivery.OF); // a clone of a redelivery is an event for all handlers
        headers.remove(Redelivery.TO);
        if (edits.payload() != null) {
            headers.remove(PayloadTable.HEADER);
        }
        edits.headers().forEach((name, value) -> {
            if (name.equals(PayloadTable.HEADER)) {
                throw new IllegalArgumentException(
                        "the header " + name + " marks payloads outside of the row: it cannot be changed");
            }
            if (value == null) {
                headers.remove(name);
            } else {
                headers.put(name, value);
            }
        });
        headers.put(ORIGIN_HEADER, eventId);
        refuseSealed(eventId, Objects.requireNonNullElse(edits.payload(), original.payload()), headers);
        headers.forEach(event::header);
        return edits.payload() == null
                ? StoredPayload.decode(original.payload(), event).build()
                : event.payloadJson(edits.payload()).build();
    }

    private static List<Change> changes(Original original, Edits edits) {
        List<Change> changes = new ArrayList<>();
        change(changes, "type", original.type(), edits.type());
        change(changes, "aggregateType", original.aggregateType(), edits.aggregateType());
        change(changes, "aggregateId", original.aggregateId(), edits.aggregateId());
        change(changes, "tenant", original.tenant(), edits.tenant());
        edits.headers().forEach((name, value) -> {
            String before = original.headers().get(name);
            if (!Objects.equals(before, value)) {
                changes.add(new Change(HEADER + name, before, value));
            }
        });
        if (edits.payload() != null) {
            change(changes, "payload", digest(original.payload()), digest(edits.payload()));
        }
        return changes;
    }

    private static void change(List<Change> changes, String field, @Nullable String before, @Nullable String after) {
        if (after != null && !after.equals(before)) {
            changes.add(new Change(field, before, after));
        }
    }

    private static String digest(String payload) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(payload.getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(digest, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no SHA-256", e);
        }
    }

    private static void refuseSealed(String eventId, String payload, Map<String, String> headers) {
        String sealed = sealedPart(payload, headers);
        if (sealed != null) {
            throw new NotClonableException(eventId, sealed + " is encrypted and bound to its id");
        }
    }

    /** What is encrypted, such as {@code payload} or {@code header card}; {@code null} if nothing is. */
    static @Nullable String sealedPart(String payload, Map<String, String> headers) {
        int mark = payload.indexOf('"' + SEALED + '"');
        if (mark >= 0 && payload.substring(0, mark).strip().equals("{")) {
            return "payload";
        }
        return headers.entrySet().stream()
                .filter(header -> header.getValue().startsWith(SEALED + ":"))
                .map(header -> "header " + header.getKey())
                .findFirst()
                .orElse(null);
    }
}
