package outbox.benchmark;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedMySql;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

/** The database server of a run, on this machine, with durable commits. */
public final class BenchServer implements AutoCloseable {
    private final Kind kind;
    private final DatabaseServer server;
    private final Map<String, String> settings;

    /** The databases that can be measured. */
    public enum Kind {
        POSTGRESQL("SHOW "),
        MYSQL("SELECT @@"),
        MARIADB("SELECT @@"),
        /** In memory, nothing durable: only to see that the scenarios work. */
        H2("");

        private final String ask;

        Kind(String ask) {
            this.ask = ask;
        }

        /** The name on the command line and in JDBC URLs. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Kind of(String id) {
            for (Kind kind : values()) {
                if (kind.id().equals(id)) {
                    return kind;
                }
            }
            throw new IllegalArgumentException("no such database: " + id);
        }

        /** What makes a commit durable. */
        private Map<String, String> durable() {
            return switch (this) {
                case POSTGRESQL -> Map.of("fsync", "on", "synchronous_commit", "on", "full_page_writes", "on");
                case MYSQL ->
                    Map.of("innodb_flush_log_at_trx_commit", "1", "sync_binlog", "1", "innodb_doublewrite", "1");
                case MARIADB -> Map.of("innodb_flush_log_at_trx_commit", "1", "innodb_doublewrite", "ON");
                case H2 -> Map.of();
            };
        }

        /** What else is worth knowing. */
        private List<String> shown() {
            return switch (this) {
                case POSTGRESQL -> List.of("wal_sync_method", "shared_buffers", "max_wal_size", "autovacuum");
                case MYSQL -> List.of("innodb_flush_method", "innodb_buffer_pool_size", "transaction_isolation");
                case MARIADB -> List.of("innodb_flush_method", "innodb_buffer_pool_size", "log_bin", "tx_isolation");
                case H2 -> List.of();
            };
        }
    }

    private BenchServer(Kind kind, DatabaseServer server) throws SQLException {
        this.kind = kind;
        this.server = server;
        this.settings = readSettings();
    }

    /**
     * Starts a server of its own.
     *
     * @throws IllegalStateException if its commits are not durable
     */
    public static BenchServer start(Kind kind) throws SQLException {
        return new BenchServer(
                kind,
                switch (kind) {
                    case POSTGRESQL ->
                        EmbeddedPostgres.start(ServerOptions.defaults().with("max_wal_size", "4GB"));
                    case MYSQL -> EmbeddedMySql.start(ServerOptions.defaults().with("innodb_buffer_pool_size", "512M"));
                    case MARIADB ->
                        EmbeddedMariaDb.start(ServerOptions.defaults().with("innodb_buffer_pool_size", "512M"));
                    case H2 -> EmbeddedH2.shared();
                });
    }

    private Map<String, String> readSettings() throws SQLException {
        Map<String, String> read = new LinkedHashMap<>();
        BenchDatabase any = freshDatabase();
        for (Map.Entry<String, String> wanted : new TreeMap<>(kind.durable()).entrySet()) {
            String value = any.askText(kind.ask + wanted.getKey());
            if (!wanted.getValue().equals(value)) {
                throw new IllegalStateException(kind + " runs with " + wanted.getKey() + "=" + value
                        + ", but figures count only with " + wanted.getValue());
            }
            read.put(wanted.getKey(), value);
        }
        for (String setting : kind.shown()) {
            read.put(setting, any.askText(kind.ask + setting));
        }
        any.drop();
        return read;
    }

    public Kind kind() {
        return kind;
    }

    /** The version it reports. */
    public String version() {
        return server.version();
    }

    /** Its settings, as it reports them; those on durability first. */
    public Map<String, String> settings() {
        return settings;
    }

    public BenchDatabase freshDatabase() {
        return new BenchDatabase(kind, server.freshDatabase());
    }

    @Override
    public void close() {
        if (server instanceof EmbeddedServer embedded) {
            embedded.close();
        }
    }
}
