package outbox.jdbc.archive;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TableNames;

/** Copies rows inside the database. */
final class TableArchive implements EventArchive {
    private static final String COLUMNS = String.join(", ", EventTable.COLUMNS);

    private final String archive;

    TableArchive(String archiveTable) {
        this.archive = TableNames.validate(archiveTable);
    }

    @Override
    public Volume open(String name) {
        return new Volume() {
            @Override
            public void add(Connection conn, String table, List<String> eventIds) throws SQLException {
                copy(conn, table, eventIds);
            }

            @Override
            public void complete() {}

            @Override
            public void close() {}
        };
    }

    /** A row that was archived, replayed and ended again replaces its archived copy. */
    private void copy(Connection conn, String table, List<String> eventIds) throws SQLException {
        String these = Ids.condition(eventIds);
        JdbcTemplate.update(
                conn, "DELETE FROM " + archive + " WHERE " + these, statement -> Ids.bind(statement, eventIds));
        JdbcTemplate.update(
                conn,
                "INSERT INTO " + archive + " (" + COLUMNS + ") SELECT " + COLUMNS + " FROM " + table + " WHERE "
                        + these,
                statement -> Ids.bind(statement, eventIds));
    }

    @Override
    public String toString() {
        return "archive table " + archive;
    }
}
