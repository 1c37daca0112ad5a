package outbox.benchmark;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import outbox.testing.server.TestDatabase;

/** One database on the server of the run. All contenders get the same driver settings. Thread-safe. */
public final class BenchDatabase {
    /** Enough for the writers and any engine behind them. */
    public static final int POOL_SIZE = 24;

    private final BenchServer.Kind kind;
    private final TestDatabase database;

    BenchDatabase(BenchServer.Kind kind, TestDatabase database) {
        this.kind = kind;
        this.database = database;
    }

    public BenchServer.Kind kind() {
        return kind;
    }

    /** With the driver's parameters for batches and statement caches, as all guides recommend them. */
    public String jdbcUrl() {
        String url = database.jdbcUrl();
        return switch (kind) {
            case POSTGRESQL -> with(url, "reWriteBatchedInserts=true");
            case MYSQL ->
                with(
                        url,
                        "rewriteBatchedStatements=true&cachePrepStmts=true&useServerPrepStmts=true"
                                + "&prepStmtCacheSqlLimit=65536&useLocalSessionState=true");
            case MARIADB -> with(url, "useServerPrepStmts=true&prepStmtCacheSize=250&useBulkStmts=true");
            case H2 -> url;
        };
    }

    private static String with(String url, String parameters) {
        return url + (url.contains("?") ? "&" : "?") + parameters;
    }

    public String username() {
        return database.username();
    }

    public String password() {
        return database.password();
    }

    public HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl());
        config.setUsername(username());
        config.setPassword(password());
        config.setMaximumPoolSize(POOL_SIZE);
        config.setMinimumIdle(POOL_SIZE);
        config.setPoolName(database.name());
        return new HikariDataSource(config);
    }

    /** A connection of the caller's own. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl(), username(), password());
    }

    /** Runs statements, each in a transaction of its own. */
    public void execute(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Runs a script of statements that end with a semicolon at the end of a line. */
    public void executeScript(String script) throws SQLException {
        for (String sql : script.split(";\\s*(\\n|$)", -1)) {
            if (!sql.isBlank()) {
                execute(sql);
            }
        }
    }

    public long askNumber(String sql) throws SQLException {
        return Long.parseLong(askText(sql));
    }

    public String askText(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Empties a table and makes what comes next independent of what was before: dirty pages are written. */
    public void clear(String table) throws SQLException {
        execute("TRUNCATE TABLE " + table);
        if (kind == BenchServer.Kind.POSTGRESQL) {
            execute("CHECKPOINT");
        }
    }

    /** Lets the planner know what was filled into a table. */
    public void analyze(String table) throws SQLException {
        execute(kind == BenchServer.Kind.POSTGRESQL ? "VACUUM ANALYZE " + table : "ANALYZE TABLE " + table);
    }

    public void drop() {
        database.drop();
    }
}
