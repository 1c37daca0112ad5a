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
 * Limits the bytes of a claim. Drivers read the whole result into memory before they return the first row, so a claim
 * must not read payloads before it knows that they fit. Nearly all are small, and an additional statement for each
 * claim would cost too much. So a claim reads small values directly, and only the length of large ones; rows that fit
 * are leased, and their large values are read by key. Immutable.
 */
final class LargeValues {
    /** Longer values are read separately. A claim of n rows may use n times this much memory. */
    private static final int INLINE_BYTES = 16 * 1024;

    /**
     * Larger rows are not read at all: driver and event would hold them several times in memory. A share of the heap,
     * as large as the default limit of everything in flight.
     */
    private static final long MAX_ROW_BYTES = Runtime.getRuntime().maxMemory() / 8;

    /** Shorter texts are small in any case, so their bytes are not counted. */
    private static final int FEW_CHARACTERS = 4 * 1024;

    /** Prefix of the length of a value that was not read; no JSON text starts with it. */
    private static final char LENGTH = '#';

    private static final String READ = """
            SELECT event_id, payload, headers FROM {table by key} WHERE event_id IN ({ids})
            """;

    private final String readSql;

    LargeValues(EventTable table) {
        this.readSql = table.sql(READ);
    }

    /** Inserts the columns payload and headers into a statement, with large values as their length. */
    static String claimed(String statement, SqlDialect dialect) {
        return columns(statement, dialect, INLINE_BYTES);
    }

    /** The same for a statement that measures its rows itself: only unreadable values are omitted. */
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

    /** The size of the row in bytes; approximate for small rows. */
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

    /** These rows with the missing values. */
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
