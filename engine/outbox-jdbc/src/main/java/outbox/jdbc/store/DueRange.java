package outbox.jdbc.store;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.EventTable;
import outbox.jdbc.SqlDialect;

/**
 * Which due rows a claim reads.
 *
 * @param skipRecent rows younger than this are left out; zero for none
 * @param from the first due time; {@code null} for the start
 * @param before the end of the due times; {@code null} for now
 */
record DueRange(
        Duration skipRecent,
        @Nullable Instant from,
        @Nullable Instant before) {
    /** A claim with the conditions of every kind of range, in place of {@code {recent}}. */
    static final class Statement {
        private final EventTable table;
        private final String[] sql = new String[8];

        Statement(EventTable table, String template) {
            this.table = table;
            for (int kind = 0; kind < sql.length; kind++) {
                sql[kind] = table.sql(template.replace(
                        "{recent}",
                        ((kind & 1) == 0 ? "" : "AND created_at <= {now-?} ")
                                + ((kind & 2) == 0 ? "" : "AND available_at >= ? ")
                                + ((kind & 4) == 0 ? "" : "AND available_at < ?")));
            }
        }

        String sql(DueRange range) {
            return sql[
                    (range.skipRecent.isZero() ? 0 : 1)
                            | (range.from == null ? 0 : 2)
                            | (range.before == null ? 0 : 4)];
        }

        /** @return the index of the next parameter */
        int bind(PreparedStatement statement, int index, DueRange range) throws SQLException {
            int next = index;
            if (!range.skipRecent.isZero()) {
                statement.setLong(next++, SqlDialect.micros(range.skipRecent));
            }
            if (range.from != null) {
                table.times().bind(statement, next++, range.from);
            }
            if (range.before != null) {
                table.times().bind(statement, next++, range.before);
            }
            return next;
        }
    }
}
