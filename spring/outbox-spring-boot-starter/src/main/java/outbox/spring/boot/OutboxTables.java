package outbox.spring.boot;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcIdempotencyRecords;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxSchemaException;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.spring.boot.properties.SchemaProperties.SchemaMode;

/** Makes or checks the tables before anything uses them. */
final class OutboxTables {
    private final DataSource dataSource;
    private final AbstractJdbcOutboxStore store;
    private final String consumption;
    private final boolean ordered;
    private final Retirement retirement;

    /** @param consumption the table of handlers' progress */
    OutboxTables(
            DataSource dataSource,
            AbstractJdbcOutboxStore store,
            String consumption,
            boolean ordered,
            Retirement retirement) {
        this.dataSource = dataSource;
        this.store = store;
        this.consumption = consumption;
        this.ordered = ordered;
        this.retirement = retirement;
    }

    private OutboxSchema schema() {
        return retirement.isByDays() ? store.partitionedSchema() : store.schema();
    }

    /** The name of the table of handlers' progress. */
    String consumption() {
        return consumption;
    }

    IdempotencySchema others() {
        return IdempotencySchema.of(store.name(), consumption);
    }

    void prepare(SchemaMode mode) {
        if (mode == SchemaMode.NEVER) {
            return;
        }
        boolean create = mode == SchemaMode.ALWAYS
                || (mode == SchemaMode.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(dataSource));
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try {
                if (create) {
                    createMissing(connection);
                }
                verify(connection);
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("can not look at the tables of the outbox: " + e.getMessage(), e);
        }
    }

    boolean exists(String table) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try {
                return JdbcOutboxStores.hasTable(connection, table);
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("can not look for table " + table + ": " + e.getMessage(), e);
        }
    }

    private void createMissing(Connection connection) throws SQLException {
        if (!JdbcOutboxStores.hasTable(connection, store.tableName())) {
            run(connection, store.tableName(), schema().statements());
        }
        String archive = retirement.archiveTable();
        if (archive != null && !JdbcOutboxStores.hasTable(connection, archive)) {
            run(connection, archive, store.archiveSchema(archive).statements());
        }
        if (ordered && lacksOrder(connection)) {
            run(connection, store.tableName(), store.orderedSchema().statements());
        }
        for (String table : List.of(consumption, JdbcIdempotencyRecords.DEFAULT_TABLE)) {
            if (!JdbcOutboxStores.hasTable(connection, table)) {
                run(
                        connection,
                        table,
                        others().statements().stream()
                                .filter(sql -> sql.contains(" " + table + " ("))
                                .toList());
            }
        }
    }

    private boolean lacksOrder(Connection connection) {
        try {
            store.verifyOrderedSchema(connection);
            return false;
        } catch (OutboxSchemaException e) {
            return true;
        }
    }

    /** Another node may start at the same moment and be faster. */
    private void run(Connection connection, String table, List<String> statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            if (!JdbcOutboxStores.hasTable(connection, table)) {
                throw e;
            }
        }
    }

    private void verify(Connection connection) throws SQLException {
        if (!JdbcOutboxStores.hasTable(connection, store.tableName())) {
            throw new MissingTableException(
                    store.tableName(),
                    "it holds the events",
                    "outbox/migration/" + store.name() + (retirement.isByDays() ? "-partitioned" : ""),
                    schema().ddl() + (ordered ? "\n" + store.orderedSchema().ddl() : ""));
        }
        String archive = retirement.archiveTable();
        if (archive != null && !JdbcOutboxStores.hasTable(connection, archive)) {
            throw new MissingTableException(
                    archive,
                    "rows go there before they are purged (outbox.archive.table)",
                    "outbox/schema/" + store.name() + "-archive.sql",
                    store.archiveSchema(archive).ddl());
        }
        store.verifySchema(connection);
        if (ordered) {
            store.verifyOrderedSchema(connection);
        }
    }
}
