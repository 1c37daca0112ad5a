package outbox.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A data source whose connections are at an isolation level, as a pool may be configured; without another, it is down. */
record LevelDataSource(DataSource other, int level) implements SimpleDataSource {
    @Override
    public Connection getConnection() throws SQLException {
        if (other == null) {
            throw new SQLException("connection refused");
        }
        Connection connection = other.getConnection();
        connection.setTransactionIsolation(level);
        return connection;
    }
}
