package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcIdempotencyRecords;
import outbox.jdbc.NodeLease;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.OutboxSchemaException;
import outbox.jdbc.TableNames;
import outbox.jdbc.payload.PayloadTable;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.store.TableCreation;
import outbox.spring.boot.properties.RefusedSettingsException;
import outbox.spring.boot.properties.SchemaProperties.SchemaMode;

/** Creates or checks the tables before anything uses them. */
final class OutboxTables {
    private static final Logger LOG = System.getLogger(OutboxTables.class.getName());

    private static final String CONSUMPTION_PURPOSE = "it stores the progress of each handler, which is required if an"
            + " event has several handlers or one of them is transactional";

    private final DataSource dataSource;
    private final AbstractJdbcOutboxStore store;
    private final String consumption;
    private final boolean ordered;
    private final boolean relayed;
    private final boolean claimCheck;
    private final Retirement retirement;
    private final DefaultNames defaults;

    /** The names of the tables that migrations create. */
    record DefaultNames(String events, String consumption) {
        static final DefaultNames OUTBOX =
                new DefaultNames(TableNames.DEFAULT_TABLE, JdbcEventConsumptionTracker.DEFAULT_TABLE);
    }

    /**
     * @param consumption the handler progress table
     * @param relayed whether a CDC relay stores its offset here
     * @param claimCheck whether large payloads are stored beside the event table
     */
    OutboxTables(
            DataSource dataSource,
            AbstractJdbcOutboxStore store,
            String consumption,
            boolean ordered,
            boolean relayed,
            boolean claimCheck,
            Retirement retirement,
            DefaultNames defaults) {
        this.dataSource = dataSource;
        this.store = store;
        this.consumption = consumption;
        this.ordered = ordered;
        this.relayed = relayed;
        this.claimCheck = claimCheck;
        this.retirement = retirement;
        this.defaults = defaults;
    }

    /** The name of the handler progress table. */
    String consumption() {
        return consumption;
    }

    void prepare(SchemaMode configured, OutboxMigrations migrations) {
        try {
            SchemaMode mode = configured == SchemaMode.AUTO ? choose(migrations) : configured;
            switch (mode) {
                case FLYWAY, LIQUIBASE -> migrate(mode, migrations);
                case ALWAYS -> TableCreation.run(dataSource::getConnection, store.election(), this::createMissing);
                case AUTO, VALIDATE, NEVER -> {}
            }
            if (mode != SchemaMode.NEVER) {
                withConnection(connection -> {
                    verify(connection);
                    return true;
                });
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot create or check the tables of the outbox: " + e.getMessage(), e);
        }
    }

    static boolean creates(SchemaMode mode, DataSource dataSource) {
        return mode == SchemaMode.ALWAYS
                || (mode == SchemaMode.AUTO && EmbeddedDatabaseConnection.isEmbedded(dataSource));
    }

    /** What {@link SchemaMode#AUTO} means here. */
    private SchemaMode choose(OutboxMigrations migrations) throws SQLException {
        if (creates(SchemaMode.AUTO, dataSource)) {
            return SchemaMode.ALWAYS;
        }
        SchemaMode tool = hasDefaultNames() ? migrations.toolOfApplication() : null;
        if (tool == null) {
            return SchemaMode.VALIDATE;
        }
        // In this order: the history is created first. A table without it comes from the application's migrations.
        boolean created = exists(store.tableName());
        return !created || migrations.hasHistory(tool) ? tool : SchemaMode.VALIDATE;
    }

    private boolean hasDefaultNames() {
        return store.tableName().equals(defaults.events()) && consumption.equals(defaults.consumption());
    }

    boolean exists(String table) {
        try {
            return withConnection(connection -> JdbcOutboxStores.hasTable(connection, table));
        } catch (SQLException e) {
            throw new IllegalStateException("cannot check whether table exists: " + table + ": " + e.getMessage(), e);
        }
    }

    /** Fails if the handler progress table is missing, and lists all other missing tables too. */
    void requireConsumption() {
        require(consumption);
    }

    /** The same for the table of idempotency keys. */
    void requireKeys() {
        require(JdbcIdempotencyRecords.DEFAULT_TABLE);
    }

    private void require(String name) {
        try {
            withConnection(connection -> {
                refuseMissing(connection, table -> table.name().equals(name));
                return true;
            });
        } catch (SQLException e) {
            throw new IllegalStateException("cannot check whether table exists: " + name + ": " + e.getMessage(), e);
        }
    }

    private interface Look {
        boolean at(Connection connection) throws SQLException;
    }

    private boolean withConnection(Look look) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try {
                return look.at(connection);
            } finally {
                connection.setAutoCommit(autoCommit);
            }
        }
    }

    private void migrate(SchemaMode tool, OutboxMigrations migrations) throws SQLException {
        if (!hasDefaultNames()) {
            throw new RefusedSettingsException(
                    "outbox.schema.mode=" + tool.name().toLowerCase(Locale.ROOT)
                            + " creates the tables under their default names, and this outbox uses " + store.tableName()
                            + " and " + consumption,
                    "Print the DDL with 'outbox schema print --table " + store.tableName()
                            + "', add it to your own migrations, and set outbox.schema.mode=validate.");
        }
        // One node at a time: two that create the tool's history table together both fail.
        TableCreation.run(dataSource::getConnection, store.election(), connection -> migrations.run(tool));
    }

    private void createMissing(Connection connection) throws SQLException {
        for (OutboxTable table : all()) {
            if (TableCreation.isMissing(connection, table.name())) {
                create(connection, table.name(), table.statements());
            }
        }
        if (ordered && lacksOrder(connection)) {
            create(connection, store.tableName(), store.orderedSchema().statements());
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

    private static void create(Connection connection, String table, List<String> statements) throws SQLException {
        TableCreation.execute(connection, statements.subList(0, 1));
        for (String sql : statements.subList(1, statements.size())) {
            try {
                TableCreation.execute(connection, List.of(sql));
            } catch (SQLException e) {
                throw new RefusedSettingsException(
                        "table " + table + " could not be created completely: " + sql + " failed (" + e.getMessage()
                                + ")",
                        "An index of that name may belong to another table, such as an older one that was renamed: rename"
                                + " that index, then start again, or run the statement and the following ones manually if"
                                + " the table exists now.",
                        e);
            }
        }
    }

    private void verify(Connection connection) throws SQLException {
        refuseMissing(connection, table -> !isOptional(table.name()));
        store.verifySchema(connection);
        if (ordered) {
            store.verifyOrderedSchema(connection);
        }
        warnOfMissingIndexes(connection);
    }

    /** The store checks the outbox table; this checks the others. */
    private void warnOfMissingIndexes(Connection connection) throws SQLException {
        for (String table : List.of(consumption, JdbcIdempotencyRecords.DEFAULT_TABLE)) {
            if (JdbcOutboxStores.hasTable(connection, table)) {
                List<String> missing = OutboxSchema.missingIndexes(connection, statementsOf(table));
                if (!missing.isEmpty()) {
                    LOG.log(
                            Level.WARNING,
                            "table " + table + " lacks " + missing.size()
                                    + " index(es), so its purge reads the whole table." + " Create them: "
                                    + String.join("; ", missing));
                }
            }
        }
    }

    private List<String> statementsOf(String table) {
        return IdempotencySchema.of(store.name(), consumption).statements().stream()
                .filter(sql -> sql.contains(" " + table + " ("))
                .toList();
    }

    /** Tables whose need depends on handlers and beans. */
    private boolean isOptional(String table) {
        return table.equals(consumption)
                || table.equals(JdbcIdempotencyRecords.DEFAULT_TABLE)
                || table.equals(NodeLease.TABLE);
    }

    /** @param required whether the application cannot start without the table */
    private void refuseMissing(Connection connection, Predicate<OutboxTable> required) throws SQLException {
        List<OutboxTable> missing = new ArrayList<>();
        for (OutboxTable table : all()) {
            if (!JdbcOutboxStores.hasTable(connection, table.name())) {
                missing.add(table);
            }
        }
        if (missing.stream().anyMatch(required)) {
            throw new MissingTablesException(missing);
        }
    }

    private List<OutboxTable> all() {
        List<OutboxTable> all = new ArrayList<>();
        List<String> events =
                new ArrayList<>((retirement.isByDays() ? store.partitionedSchema() : store.schema()).statements());
        if (ordered) {
            events.addAll(store.orderedSchema().statements());
        }
        all.add(new OutboxTable(store.tableName(), "it holds the events", events));
        String archive = retirement.archiveTable();
        if (archive != null) {
            all.add(new OutboxTable(
                    archive,
                    "rows are archived there before they are purged (outbox.archive.table, created by your own migrations)",
                    store.archiveSchema(archive).statements()));
        }
        all.add(ofIdempotency(consumption, CONSUMPTION_PURPOSE));
        all.add(ofIdempotency(
                JdbcIdempotencyRecords.DEFAULT_TABLE,
                "it holds idempotency keys, for IdempotentCreateTemplate and @Idempotent"));
        all.add(new OutboxTable(
                NodeLease.TABLE,
                "it elects the one node that sends alerts, for FailedEventAlert beans",
                OutboxSchema.ofResource(OutboxSchema.class, "/outbox/schema/lease.sql")
                        .statements()));
        if (claimCheck) {
            PayloadTable payloads = PayloadTable.of(store);
            all.add(new OutboxTable(
                    payloads.name(),
                    "it holds large payloads, or where they are (outbox.claim-check.enabled)",
                    payloads.schema().statements()));
        }
        if (relayed) {
            all.addAll(CdcTables.of(store.name()));
        }
        return all;
    }

    private OutboxTable ofIdempotency(String table, String purpose) {
        return new OutboxTable(table, purpose, statementsOf(table));
    }
}
