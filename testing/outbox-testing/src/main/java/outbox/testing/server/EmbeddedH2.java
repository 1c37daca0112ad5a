package outbox.testing.server;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * H2 in this JVM: databases in memory that live until they are dropped or the JVM ends.
 *
 * <p>Needs {@code com.h2database:h2} in test scope.
 */
public final class EmbeddedH2 {

    private static final SharedServer SHARED = new SharedServer(Databases::new);

    private EmbeddedH2() {}

    /** Returns the databases of this JVM. There is nothing to start and nothing to stop. */
    public static DatabaseServer shared() {
        return SHARED.get();
    }

    private static final class Databases extends JdbcServer {

        Databases() {
            super(DatabaseKind.H2);
        }

        @Override
        public String jdbcUrl(String database) {
            // An empty name is a private database that ends with its connection.
            return "jdbc:h2:mem:" + database + (database.isEmpty() ? "" : ";DB_CLOSE_DELAY=-1");
        }

        /** A database comes into being with the first connection to it. */
        @Override
        public TestDatabase createDatabase(String database) {
            execute(DatabaseKind.requireDatabaseName(database), "SELECT 1");
            return new TestDatabase(this, database);
        }

        @Override
        public void dropDatabase(String database) {
            execute(DatabaseKind.requireDatabaseName(database), "SHUTDOWN");
        }

        private void execute(String database, String sql) {
            try (Connection connection = dataSource(database).getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw new IllegalStateException(
                        "'" + sql + "' failed on " + jdbcUrl(database) + ": " + e.getMessage(), e);
            }
        }

        @Override
        public String username() {
            return "sa";
        }

        @Override
        public String password() {
            return "";
        }

        @Override
        public String toString() {
            return "H2 in memory";
        }
    }
}
