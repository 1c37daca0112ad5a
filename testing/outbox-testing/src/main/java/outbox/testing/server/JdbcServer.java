package outbox.testing.server;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;

/** The part of a server that is the same for all: everything done over JDBC. */
abstract class JdbcServer implements DatabaseServer {

    private final DatabaseKind kind;
    private final Driver driver;

    JdbcServer(DatabaseKind kind) {
        this.kind = kind;
        this.driver = kind.driver();
    }

    DatabaseKind kind() {
        return kind;
    }

    @Override
    public String name() {
        return kind.id();
    }

    @Override
    public String version() {
        try (Connection connection = dataSource(kind.maintenanceDatabase()).getConnection()) {
            return connection.getMetaData().getDatabaseProductVersion();
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot ask " + this + " for its version: " + e.getMessage(), e);
        }
    }

    @Override
    public DataSource dataSource(String database) {
        return new ServerDataSource(driver, jdbcUrl(database), username(), password(), Map.of());
    }

    /** Runs a query that returns one text, and throws unless the server answers within seconds. */
    String ask(String query) throws SQLException {
        DataSource impatient = new ServerDataSource(
                driver, jdbcUrl(kind.maintenanceDatabase()), username(), password(), kind.impatience());
        try (Connection connection = impatient.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public TestDatabase createDatabase(String database) {
        execute(kind.createStatement(DatabaseKind.requireDatabaseName(database)));
        return new TestDatabase(this, database);
    }

    @Override
    public void dropDatabase(String database) {
        execute(kind.dropStatement(DatabaseKind.requireDatabaseName(database)));
    }

    private void execute(String sql) {
        try (Connection connection = dataSource(kind.maintenanceDatabase()).getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException("'" + sql + "' failed on " + this + ": " + e.getMessage(), e);
        }
    }
}
