package outbox.idempotency.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.ProxyConnection;
import java.sql.Connection;
import java.sql.SQLException;
import org.h2.jdbc.JdbcConnection;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedH2;

class H2TransactionalHandlerIT extends TransactionalHandlerContract {
    @Override
    DatabaseServer server() {
        return EmbeddedH2.shared();
    }

    /** Its driver does nothing on abort; a connection that is closed behind the pool's back is rolled back too. */
    @Override
    void sever(HikariDataSource pool, Connection connection) throws SQLException {
        pool.evictConnection(
                connection.unwrap(ProxyConnection.class)); // the pool would not notice and hand it out again
        connection.unwrap(JdbcConnection.class).close();
    }
}
