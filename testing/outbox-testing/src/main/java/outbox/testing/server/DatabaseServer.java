package outbox.testing.server;

import java.util.UUID;
import javax.sql.DataSource;

/**
 * A database server that a test may fill with databases of its own.
 *
 * <p>Obtained from {@link EmbeddedPostgres}, {@link EmbeddedMySql}, {@link EmbeddedMariaDb} or {@link EmbeddedH2}.
 * Implementations are thread-safe.
 *
 * <pre>{@code
 * TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
 * try (Connection connection = database.dataSource().getConnection()) {
 *     ...
 * }
 * }</pre>
 */
public interface DatabaseServer {

    /** Returns the kind of server: {@code postgresql}, {@code mysql}, {@code mariadb} or {@code h2}. */
    String name();

    /** Returns the version the running server reports, for example {@code 18.6}. */
    String version();

    /** Returns the JDBC URL of a database on this server, whether it exists or not. */
    String jdbcUrl(String database);

    /** Returns the user to connect with; it may create databases and, on embedded servers, do anything else. */
    String username();

    /** Returns the password of {@link #username()}. */
    String password();

    /** Returns an unpooled data source: each connection is a new one, opened by the driver. */
    DataSource dataSource(String database);

    /**
     * Creates an empty database.
     *
     * @param database a lower-case letter followed by lower-case letters, digits and underscores
     */
    TestDatabase createDatabase(String database);

    /** Drops a database, cutting off those still connected where the server allows it. */
    void dropDatabase(String database);

    /** Creates an empty database under a name nobody else uses. */
    default TestDatabase freshDatabase() {
        return createDatabase("test_" + UUID.randomUUID().toString().replace("-", ""));
    }
}
