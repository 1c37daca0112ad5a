package outbox.control.act;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.control.source.Application;
import outbox.node.db.Sql;
import outbox.spi.StoredPayload;
import outbox.spi.UnitOfWork;

/** A new event like an old one. Stateless, thread-safe. */
public final class EventClone {
    /** The header of the new event that names the old one. */
    public static final String ORIGIN_HEADER = "outbox-cloned-from";

    /** How {@code outbox-encryption} marks what it encrypted, in payloads and headers. */
    private static final String SEALED = "$outbox.sealed";

    private EventClone() {}

    /** The original is encrypted, and what is encrypted is bound to its id: under another one nobody can decrypt it. */
    public static final class SealedException extends RuntimeException {
        private SealedException(String eventId, String what) {
            super("event " + eventId + " cannot be cloned: its " + what
                    + " is encrypted and bound to its id; replace it, or have the application write the event again");
        }
    }

    /**
     * What is to be different; {@code null} is as in the original.
     *
     * @param payload a JSON text
     * @param headers {@code null} as a value takes a header away
     */
    public record Edits(
            @Nullable String type,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            @Nullable String tenant,
            @Nullable String payload,
            Map<String, @Nullable String> headers) {}

    private record Original(
            String type,
            @Nullable String aggregateType,
            @Nullable String aggregateId,
            @Nullable String tenant,
            String payload,
            Map<String, String> headers) {}

    /**
     * Reads the original and writes the new one in one transaction.
     *
     * @return the id of the new event; {@code null} if there is no original
     * @throws IllegalArgumentException if the edits make no event, such as a payload that is not JSON
     * @throws SealedException if something encrypted would be copied
     */
    public static @Nullable String write(Application application, String eventId, Edits edits) throws SQLException {
        return UnitOfWork.run(application.dataSource()::getConnection, conn -> {
                    Original original = read(conn, application, eventId);
                    if (original == null) {
                        return Optional.<String>empty();
                    }
                    EventEnvelope event = edited(original, eventId, edits);
                    application.store().insertNew(conn, event);
                    return Optional.of(event.eventId());
                })
                .orElse(null);
    }

    private static @Nullable Original read(Connection conn, Application application, String eventId)
            throws SQLException {
        return new Sql(
                        application.flavor(),
                        "SELECT event_type, aggregate_type, aggregate_id, tenant_id, payload, headers FROM "
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
                                application.store().jsonCodec().parseObject(row.getString(6))));
    }

    private static EventEnvelope edited(Original original, String eventId, Edits edits) {
        EventEnvelope.Builder event = EventEnvelope.builder(Objects.requireNonNullElse(edits.type(), original.type()))
                .aggregateType(edits.aggregateType() == null ? original.aggregateType() : edits.aggregateType())
                .aggregateId(edits.aggregateId() == null ? original.aggregateId() : edits.aggregateId())
                .tenantId(edits.tenant() == null ? original.tenant() : edits.tenant());
        Map<String, String> headers = new LinkedHashMap<>(original.headers());
        edits.headers().forEach((name, value) -> {
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

    private static void refuseSealed(String eventId, String payload, Map<String, String> headers) {
        int mark = payload.indexOf('"' + SEALED + '"');
        if (mark >= 0 && payload.substring(0, mark).strip().equals("{")) {
            throw new SealedException(eventId, "payload");
        }
        headers.forEach((name, value) -> {
            if (value.startsWith(SEALED + ":")) {
                throw new SealedException(eventId, "header " + name);
            }
        });
    }
}
