package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.model.OutboxEvent;
import outbox.spi.StoredPayload;

/**
 * Keeps a claim to its bytes. A driver reads all rows of a result into memory before it gives the first one away, so a
 * claim must not ask for payloads before it knows that they fit. Nearly all are small, and a statement more for each claim
 * would be felt. Hence a claim reads small values as they are, and of a large one only its length; what fits is leased, and
 * its large values are read by key. Immutable.
 */
final class LargeValues {
    /** Longer ones are not read along. A claim of n rows has at least n times that much in memory. */
    private static final int INLINE_BYTES = 16 * 1024;

    /**
     * A row beyond this is not read at all: a driver and the event made of it would hold it several times. A share of the
     * heap, as large as all that is in flight by default.
     */
    private static final long MAX_ROW_BYTES = Runtime.getRuntime().maxMemory() / 8;

    /** Of fewer characters the bytes are not counted: they are small in any case. */
    private static final int FEW_CHARACTERS = 4 * 1024;

    /** Before the length of a value that was not read; no JSON text begins with it. */
    private static final char LENGTH = '#';

    private static final String READ = """
            SELECT event_id, payload, headers FROM {table by key} WHERE event_id IN ({ids})
            """;

    private final String readSql;

    LargeValues(EventTable table) {
        this.readSql = table.sql(READ);
    }

    /** Puts the columns payload and headers into a statement: large values as their length. */
    static String claimed(String statement, SqlDialect dialect) {
        return columns(statement, dialect, INLINE_BYTES);
    }

    /** The same for a statement that measures its rows by itself: only what cannot be read at all is left out. */
    static String measured(String statement, SqlDialect dialect) {
        return columns(statement, dialect, MAX_ROW_BYTES);
    }

    private static String columns(String statement, SqlDialect dialect, long limit) {
        return statement
                .replace("{payload}", column("payload", dialect, limit))
                .replace("{headers}", column("headers", dialect, limit));
    }

    private static String column(String name, SqlDialect dialect, long limit) {
        String column = dialect.bytes().isEmpty()
                ? "{column}"
                : "CASE WHEN " + dialect.bytes() + " > " + limit + " THEN CONCAT('" + LENGTH + "', " + dialect.bytes()
                        + ") ELSE " + dialect.text() + " END";
        return column.replace("{column}", name);
    }

    /** How many bytes the row has, roughly if it has few. */
    static long size(OutboxEvent row) {
        return length(row.payloadJson()) + (row.headersJson() == null ? 0 : length(row.headersJson()));
    }

    private static boolean isLength(@Nullable String value) {
        return value != null && !value.isEmpty() && value.charAt(0) == LENGTH;
    }

    private static long length(String value) {
        if (isLength(value)) {
            return Long.parseLong(value.substring(1));
        }
        long bytes = value.length();
        if (bytes >= FEW_CHARACTERS) {
            for (int i = 0; i < value.length(); i++) {
                char c = value.charAt(i);
                if (c >= 0x80) {
                    bytes += c < 0x800 || Character.isSurrogate(c) ? 1 : 2; // a pair of surrogates is four bytes
                }
            }
        }
        return bytes;
    }

    /** These rows with the values that are not there yet. */
    List<OutboxEvent> read(Connection conn, List<OutboxEvent> rows) throws SQLException {
        List<String> incomplete = new ArrayList<>();
        for (OutboxEvent row : rows) {
            if (isIncomplete(row) && size(row) <= MAX_ROW_BYTES) {
                incomplete.add(row.eventId());
            }
        }
        Map<String, Values> values = new HashMap<>();
        for (InList ids : InList.split(incomplete, InList.LARGEST)) {
            JdbcTemplate.query(
                            conn,
                            readSql.replace("{ids}", ids.placeholders()),
                            statement -> ids.bind(statement, 1),
                            row -> new Values(row.getString(1), row.getString(2), row.getString(3)))
                    .forEach(row -> values.put(row.eventId(), row));
        }
        return rows.stream()
                .map(row -> isIncomplete(row) ? complete(row, values.get(row.eventId())) : row)
                .toList();
    }

    private record Values(
            String eventId, String payload, @Nullable String headers) {}

    private static boolean isIncomplete(OutboxEvent row) {
        return isLength(row.payloadJson()) || isLength(row.headersJson());
    }

    private static OutboxEvent complete(OutboxEvent row, @Nullable Values values) {
        return new OutboxEvent(
                row.eventId(),
                row.eventType(),
                row.aggregateType(),
                row.aggregateId(),
                row.tenantId(),
                values == null ? StoredPayload.unread(size(row)) : values.payload(),
                values == null ? null : values.headers(),
                row.attempts(),
                row.createdAt(),
                row.formerLease());
    }
}
