package outbox.testing.server;

import java.util.Objects;
import javax.sql.DataSource;

/**
 * One database on a {@link DatabaseServer}, with all that is needed to connect to it. Immutable and thread-safe.
 *
 * <p>Dropping it is optional: the databases of an embedded server vanish with the server.
 *
 * @param server the server it lives on
 * @param name its name on that server
 */
public record TestDatabase(DatabaseServer server, String name) {

    public TestDatabase {
        Objects.requireNonNull(server, "server");
        Objects.requireNonNull(name, "name");
    }

    /** Returns the JDBC URL of this database. */
    public String jdbcUrl() {
        return server.jdbcUrl(name);
    }

    /** Returns the user to connect with. */
    public String username() {
        return server.username();
    }

    /** Returns the password of {@link #username()}. */
    public String password() {
        return server.password();
    }

    /** Returns an unpooled data source: each connection is a new one, opened by the driver. */
    public DataSource dataSource() {
        return server.dataSource(name);
    }

    /** Drops this database. */
    public void drop() {
        server.dropDatabase(name);
    }

    @Override
    public String toString() {
        return "TestDatabase[" + jdbcUrl() + "]";
    }
}
