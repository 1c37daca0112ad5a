package outbox.jdbc.payload;

import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableNames;
import outbox.jdbc.store.AbstractJdbcOutboxStore;

/**
 * The table beside an event table that holds bodies, in parts, or where an object store has them. Methods run on the
 * caller's connection. Immutable and thread-safe.
 */
public final class PayloadTable {
    /** Marks the row of an event whose payload is here; its value begins with the size in bytes. */
    public static final String HEADER = "outbox-claim-check";

    /** Small enough for the largest statement of every database, large enough for few round trips. */
    static final int PART_BYTES = 256 * 1024;

    private static final String INSERT = "INSERT INTO {payloads} (event_id, part, location, data) VALUES (?, ?, ?, ?)";
    private static final String READ = """
            SELECT data FROM {payloads} WHERE event_id = ? AND part >= ? AND part < ? ORDER BY part
            """;
    private static final String LOCATION = "SELECT location FROM {payloads} WHERE event_id = ? AND part = 0";
    /** A parameter alone in the list of results has no type on PostgreSQL and H2. */
    private static final String COPY = """
            INSERT INTO {payloads} (event_id, part, location, data)
            SELECT COALESCE(?, event_id), part, location, data FROM {payloads} WHERE event_id = ?
            """;

    private static final String ORPHANS = """
            SELECT p.event_id, p.location FROM {payloads} p
            WHERE p.part = 0
              AND NOT EXISTS (SELECT 1 FROM {table} e WHERE e.event_id = p.event_id){archived}
            ORDER BY p.event_id LIMIT ?
            """;
    private static final String ARCHIVED =
            "\n  AND NOT EXISTS (SELECT 1 FROM {archive} a WHERE a.event_id = p.event_id)";
    private static final String DELETE = "DELETE FROM {payloads} WHERE event_id = ?";
    private static final String REFERENCED = "SELECT DISTINCT location FROM {payloads} WHERE location IN ({locations})";

    private final EventTable events;
    private final String name;

    /** The table of bodies that belongs to a store's event table. */
    public static PayloadTable of(AbstractJdbcOutboxStore store) {
        return new PayloadTable(store.table());
    }

    /** The table of bodies that belongs to an event table. */
    public PayloadTable(EventTable events) {
        this.events = events;
        this.name = OutboxSchema.sibling(events.name(), "payload");
    }

    /** Its DDL. */
    public OutboxSchema schema() {
        return OutboxSchema.of(events.dialect().name() + "-payload", events.name());
    }

    /** {@code <event table>_payload}. */
    public String name() {
        return name;
    }

    /** @return how many bytes were stored */
    long write(Connection conn, String eventId, InputStream body) throws SQLException, IOException {
        long stored = 0;
        try (PreparedStatement insert = conn.prepareStatement(sql(INSERT))) {
            for (int part = 0; ; part++) {
                byte[] data = body.readNBytes(PART_BYTES);
                if (data.length == 0 && part > 0) {
                    return stored;
                }
                bind(insert, eventId, part, null, data);
                insert.executeUpdate();
                stored += data.length;
                if (data.length < PART_BYTES) {
                    return stored;
                }
            }
        }
    }

    void writeLocation(Connection conn, String eventId, String location) throws SQLException {
        JdbcTemplate.update(conn, sql(INSERT), insert -> bind(insert, eventId, 0, location, null));
    }

    private static void bind(
            PreparedStatement insert, String eventId, int part, @Nullable String location, byte @Nullable [] data)
            throws SQLException {
        insert.setString(1, eventId);
        insert.setInt(2, part);
        insert.setString(3, location);
        if (data == null) {
            insert.setNull(4, Types.VARBINARY);
        } else {
            insert.setBytes(4, data);
        }
    }

    /** Some consecutive parts; fewer than asked for at the end. */
    List<byte[]> read(Connection conn, String eventId, int firstPart, int parts) throws SQLException {
        return JdbcTemplate.query(
                conn,
                sql(READ),
                statement -> {
                    statement.setString(1, eventId);
                    statement.setInt(2, firstPart);
                    statement.setInt(3, firstPart + parts);
                },
                row -> {
                    byte[] data = row.getBytes(1);
                    return data == null ? new byte[0] : data;
                });
    }

    /** Where a body is. */
    record Place(String eventId, @Nullable String location) {}

    /** Empty if there is no body; a place without location is this table. */
    Optional<Place> find(Connection conn, String eventId) throws SQLException {
        return find(conn, eventId, "");
    }

    private Optional<Place> find(Connection conn, String eventId, String lock) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        sql(LOCATION) + lock,
                        statement -> statement.setString(1, eventId),
                        row -> new Place(eventId, row.getString(1)))
                .stream()
                .findFirst();
    }

    /**
     * Locks an event's body, so that the sweep does not delete it before it is copied.
     *
     * @return whether there is one
     */
    public boolean lock(Connection conn, String eventId) throws SQLException {
        return find(conn, eventId, " FOR UPDATE").isPresent();
    }

    /** Gives a new event a copy of another event's body, or the same object. {@link #lock} it before. */
    public void copy(Connection conn, String fromEvent, String toEvent) throws SQLException {
        JdbcTemplate.update(conn, sql(COPY), copy -> {
            copy.setString(1, toEvent);
            copy.setString(2, fromEvent);
        });
    }

    /** Bodies whose event is neither in the event table nor in the archive. */
    List<Place> orphans(Connection conn, @Nullable String archiveTable, int limit) throws SQLException {
        String archived = archiveTable == null ? "" : ARCHIVED.replace("{archive}", TableNames.validate(archiveTable));
        return JdbcTemplate.query(
                conn,
                sql(ORPHANS.replace("{archived}", archived)),
                statement -> statement.setInt(1, limit),
                row -> new Place(row.getString(1), row.getString(2)));
    }

    int delete(Connection conn, String eventId) throws SQLException {
        return JdbcTemplate.update(conn, sql(DELETE), statement -> statement.setString(1, eventId));
    }

    /** Which of these locations an event has. */
    List<String> referenced(Connection conn, List<String> locations) throws SQLException {
        String placeholders = String.join(", ", Collections.nCopies(locations.size(), "?"));
        return JdbcTemplate.query(
                conn,
                sql(REFERENCED).replace("{locations}", placeholders),
                statement -> {
                    for (int i = 0; i < locations.size(); i++) {
                        statement.setString(i + 1, locations.get(i));
                    }
                },
                row -> row.getString(1));
    }

    private String sql(String template) {
        return events.sql(template.replace("{payloads}", name));
    }

    @Override
    public String toString() {
        return name;
    }
}
