package outbox.doctor;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A data source of which only {@link #getConnection()} is of interest. */
interface SimpleDataSource extends DataSource {
    @Override
    default Connection getConnection(String user, String password) throws SQLException {
        return getConnection();
    }

    @Override
    default PrintWriter getLogWriter() {
        return null;
    }

    @Override
    default void setLogWriter(PrintWriter out) {}

    @Override
    default void setLoginTimeout(int seconds) {}

    @Override
    default int getLoginTimeout() {
        return 0;
    }

    @Override
    default Logger getParentLogger() {
        return Logger.getGlobal();
    }

    @Override
    default <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("nothing to unwrap");
    }

    @Override
    default boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
