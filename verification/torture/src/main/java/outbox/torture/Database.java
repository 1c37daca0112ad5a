package outbox.torture;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.TestDatabase;
import outbox.torture.worker.Business;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** The database of one case: the outbox table, the business tables, and what the supervisor asks of them. */
public final class Database {
    private final @Nullable ReplicatedPair pair;
    private final @Nullable LossyDisk disk;
    private final AbstractJdbcOutboxStore store;
    private EmbeddedServer server;
    private TestDatabase database;

    private Database(EmbeddedServer server, @Nullable ReplicatedPair pair, @Nullable LossyDisk disk) {
        this.server = server;
        this.pair = pair;
        this.disk = disk;
        this.database = server.freshDatabase();
        this.store = JdbcOutboxStores.detect(database.jdbcUrl());
    }

    static Database create(EmbeddedServer server, int keys, boolean ordered) throws SQLException {
        return fill(new Database(server, null, null), keys, ordered);
    }

    static Database create(EmbeddedServer server, LossyDisk disk, int keys, boolean ordered) throws SQLException {
        return fill(new Database(server, null, disk), keys, ordered);
    }

    /** With the tables of the version before. */
    static Database createBefore(EmbeddedServer server, int keys, boolean ordered) throws SQLException {
        Database created = new Database(server, null, null);
        Version before = Version.before();
        for (String statement : before.schema(created.store.name())) {
            created.execute(statement);
        }
        if (ordered) {
            for (String statement : before.schema(created.store.name() + "-ordered")) {
                created.execute(statement);
            }
        }
        return fillBusiness(created, keys);
    }

    /**
     * Adds what today's tables have and those of the version before have not.
     *
     * @return the statements of indexes that are missing even then
     */
    public List<String> migrate(boolean ordered) throws SQLException {
        try (Connection conn = connect()) {
            OutboxSchema.ofResource(OutboxSchema.class, "/outbox/schema/lease.sql")
                    .apply(conn);
            List<String> missing = new ArrayList<>(store.schema().missingIndexes(conn));
            if (ordered) {
                missing.addAll(store.orderedSchema().missingIndexes(conn));
            }
            return missing;
        }
    }

    static Database create(ReplicatedPair pair, int keys, boolean ordered) throws SQLException {
        Database created = fill(new Database(pair.primary(), pair, null), keys, ordered);
        pair.admit(created.database.name());
        return created;
    }

    private static Database fill(Database created, int keys, boolean ordered) throws SQLException {
        try (Connection conn = created.connect()) {
            created.store.schema().apply(conn);
            if (ordered) {
                created.store.orderedSchema().apply(conn);
            }
        }
        return fillBusiness(created, keys);
    }

    private static Database fillBusiness(Database created, int keys) throws SQLException {
        for (String table : Business.TABLES) {
            created.execute(table);
        }
        for (int i = 0; i < keys; i++) {
            created.execute("INSERT INTO torture_key VALUES ('k" + i + "', 0)");
        }
        return created;
    }

    /** The server that is asked: after a failover the new primary. */
    public EmbeddedServer server() {
        return server;
    }

    /** Only for cases with {@link TortureCase#replication()}. */
    public ReplicatedPair pair() {
        return Objects.requireNonNull(pair, "this case has no standby");
    }

    /**
     * Only for cases with {@link TortureCase#losesPower()}: ends the server and starts it without what it had not synced.
     *
     * @return how many bytes that was
     */
    long losePower() throws IOException {
        return Objects.requireNonNull(disk, "this case has no lossy disk").losePower(server);
    }

    /** From now on the standby is asked. */
    void moveToStandby() {
        server = pair().standby();
        database = new TestDatabase(server, database.name());
    }

    public AbstractJdbcOutboxStore store() {
        return store;
    }

    public Connection connect() throws SQLException {
        return database.dataSource().getConnection();
    }

    /** Settings with which a node reaches this database. */
    public NodeSettings reachableBy(NodeSettings settings) {
        if (pair != null) {
            return settings.with(Setting.JDBC_URL, pair.jdbcUrl(database.name()))
                    .with(Setting.USER, pair.username())
                    .with(Setting.PASSWORD, pair.password());
        }
        return settings.with(Setting.JDBC_URL, database.jdbcUrl())
                .with(Setting.USER, database.username())
                .with(Setting.PASSWORD, database.password());
    }

    /** The same, and every connection of the pool gives up waiting for an answer after that time. */
    public NodeSettings withSocketTimeout(Duration timeout, NodeSettings settings) {
        return settings.with(Setting.JDBC_URL, settings.text(Setting.JDBC_URL) + pair().socketTimeout(timeout));
    }

    /** The same through another port. */
    public NodeSettings reachableThrough(Link link, NodeSettings settings) {
        return settings.with(
                Setting.JDBC_URL, database.jdbcUrl().replace(":" + server.port() + "/", ":" + link.port() + "/"));
    }

    public void execute(String sql) throws SQLException {
        try (Connection conn = connect();
                Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    public long count(String sql) throws SQLException {
        try (Connection conn = connect();
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    /** The events of all transactions that were committed. */
    Set<String> committed() throws SQLException {
        return ids("SELECT event_id FROM torture_business");
    }

    /** The same on the server that was the primary before the failover; starts it again to ask it. */
    Set<String> committedOnFormerPrimary() throws SQLException {
        EmbeddedServer former = pair().primary();
        former.restart();
        try (Connection conn = former.dataSource(database.name()).getConnection()) {
            return ids(conn, "SELECT event_id FROM torture_business");
        }
    }

    /** Rows that are still to be delivered. */
    public long pending() throws SQLException {
        return count("SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)");
    }

    /** Some of them, in words: for the search of what they wait for. */
    List<String> waiting() throws SQLException {
        List<String> waiting = new ArrayList<>();
        try (Connection conn = connect();
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery("SELECT event_id, aggregate_id, status, attempts, locked_by,"
                        + " locked_at, available_at, last_error FROM outbox_event WHERE status IN (0, 2)"
                        + " ORDER BY locked_at, event_id LIMIT 8")) {
            while (row.next()) {
                StringBuilder line = new StringBuilder("waits:");
                for (int i = 1; i <= 8; i++) {
                    line.append(' ').append(row.getString(i));
                }
                waiting.add(line.toString());
            }
        }
        return waiting;
    }

    /** What this life of a node holds: all that it may have delivered without having said so. */
    public Set<String> heldBy(String node) throws SQLException {
        return held("locked_by LIKE '" + node + "/%'");
    }

    /** What all nodes hold together. */
    public Set<String> held() throws SQLException {
        return held("locked_by IS NOT NULL");
    }

    private Set<String> held(String condition) throws SQLException {
        return ids("SELECT event_id FROM outbox_event WHERE status IN (0, 2) AND " + condition);
    }

    private Set<String> ids(String query) throws SQLException {
        try (Connection conn = connect()) {
            return ids(conn, query);
        }
    }

    private static Set<String> ids(Connection conn, String query) throws SQLException {
        Set<String> ids = new HashSet<>();
        try (Statement statement = conn.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                ids.add(rows.getString(1));
            }
        }
        return ids;
    }

    /** Ends every connection to this database from the server's side. @return how many */
    public int terminateConnections() throws SQLException {
        boolean postgres = store.name().equals("postgresql");
        List<Long> ids = new ArrayList<>();
        try (Connection conn = connect();
                Statement statement = conn.createStatement()) {
            String query = postgres
                    ? "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    : "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()";
            try (ResultSet rows = statement.executeQuery(query)) {
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
            }
            int ended = 0;
            for (long id : ids) {
                try {
                    statement.execute(postgres ? "SELECT pg_terminate_backend(" + id + ")" : "KILL " + id);
                    ended++;
                } catch (SQLException e) {
                    // it has gone by itself
                }
            }
            return ended;
        }
    }

    /** What the server has been asked so far: transactions on PostgreSQL, statements elsewhere. */
    public long asked() throws SQLException {
        return count(
                store.name().equals("postgresql")
                        ? "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()"
                        : "SELECT variable_value FROM " + statusTable() + " WHERE variable_name = 'Questions'");
    }

    private String statusTable() {
        return (store.name().equals("mysql") ? "performance_schema" : "information_schema") + ".global_status";
    }

    /** How many connections the server sees to this database, the one that asks not counted. */
    public long connections() throws SQLException {
        return count(
                store.name().equals("postgresql")
                        ? "SELECT COUNT(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                        : "SELECT COUNT(*) FROM information_schema.processlist"
                                + " WHERE db = DATABASE() AND id <> CONNECTION_ID()");
    }

    /** A pair takes its data with it when it is closed. */
    void drop() {
        if (pair == null && server.isRunning()) {
            database.drop();
        }
    }
}
