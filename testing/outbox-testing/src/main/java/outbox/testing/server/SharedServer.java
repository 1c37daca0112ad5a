package outbox.testing.server;

import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The one server of a kind in this JVM, started when first asked for. Thread-safe: the first caller starts it, the
 * others wait. A failed start is not repeated, so that a hundred tests do not wait a hundred times.
 */
final class SharedServer {

    private final Supplier<? extends DatabaseServer> start;

    private @Nullable DatabaseServer server;
    private @Nullable RuntimeException failure;

    SharedServer(Supplier<? extends DatabaseServer> start) {
        this.start = start;
    }

    synchronized DatabaseServer get() {
        if (failure != null) {
            throw new IllegalStateException(
                    "The shared server failed to start earlier in this JVM: " + failure.getMessage(), failure);
        }
        if (server == null) {
            try {
                server = new Unclosable(start.get());
            } catch (RuntimeException e) {
                failure = e;
                throw e;
            }
        }
        return server;
    }

    /** JUnit closes the arguments of parameterized tests; the next test still needs this server. */
    private record Unclosable(DatabaseServer server) implements DatabaseServer {
        @Override
        public String name() {
            return server.name();
        }

        @Override
        public String version() {
            return server.version();
        }

        @Override
        public String jdbcUrl(String database) {
            return server.jdbcUrl(database);
        }

        @Override
        public String username() {
            return server.username();
        }

        @Override
        public String password() {
            return server.password();
        }

        @Override
        public DataSource dataSource(String database) {
            return server.dataSource(database);
        }

        @Override
        public TestDatabase createDatabase(String database) {
            return server.createDatabase(database);
        }

        @Override
        public void dropDatabase(String database) {
            server.dropDatabase(database);
        }

        @Override
        public String toString() {
            return server.toString();
        }
    }
}
