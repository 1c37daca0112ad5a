package outbox.testing.server;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source without a pool: each connection comes straight from the driver. */
final class ServerDataSource implements DataSource {

    private final Driver driver;
    private final String url;
    private final String username;
    private final String password;
    private final Map<String, String> extras;

    ServerDataSource(Driver driver, String url, String username, String password, Map<String, String> extras) {
        this.driver = driver;
        this.url = url;
        this.username = username;
        this.password = password;
        this.extras = extras;
    }

    @Override
    public Connection getConnection() throws SQLException {
        return getConnection(username, password);
    }

    @Override
    public Connection getConnection(String user, String userPassword) throws SQLException {
        Properties properties = new Properties();
        properties.putAll(extras);
        properties.setProperty("user", user);
        properties.setProperty("password", userPassword);
        Connection connection = driver.connect(url, properties);
        if (connection == null) {
            throw new SQLException("The driver " + driver.getClass().getName() + " does not understand the URL " + url);
        }
        return connection;
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException("This data source writes no log");
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException("Put the driver's own timeout parameter into the JDBC URL");
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("This data source does not use java.util.logging");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("This data source is not a " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    @Override
    public String toString() {
        return "ServerDataSource[" + url + "]";
    }
}
