package outbox.cdc;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import outbox.jdbc.TimeColumns;

/** Address and user of the database: in parts for Debezium, as a URL for JDBC. */
record DatabaseAddress(
        String jdbcUrl, String kind, String host, int port, String database, String user, String password) {
    private static final Pattern URL =
            Pattern.compile("jdbc:(postgresql|mysql|mariadb)://([^/:,?]+)(?::(\\d+))?/([^/?]+)(?:\\?.*)?");
    private static final String SOCKET_TIMEOUT = "socketTimeout";
    /** Debezium abandons a task that does not stop within 40 s without stopping it; two of these must fit into that. */
    private static final Duration LOGIN_LIMIT = Duration.ofSeconds(10);

    static DatabaseAddress of(String jdbcUrl, String user, String password) {
        Matcher parts = URL.matcher(jdbcUrl);
        if (!parts.matches()) {
            throw new IllegalArgumentException("the log of " + withoutSecrets(jdbcUrl)
                    + " cannot be read: the URL must name one host and one database, such as"
                    + " jdbc:postgresql://host:5432/shop, jdbc:mysql://host/shop or jdbc:mariadb://host/shop");
        }
        String kind = parts.group(1);
        int defaultPort = kind.equals("postgresql") ? 5432 : 3306;
        int port = parts.group(3) == null ? defaultPort : Integer.parseInt(parts.group(3));
        return new DatabaseAddress(jdbcUrl, kind, parts.group(2), port, parts.group(4), user, password);
    }

    /** The parameters and the user part of a URL may contain a password. */
    private static String withoutSecrets(String jdbcUrl) {
        return jdbcUrl.replaceFirst("//.*@.*|\\?.*", "…");
    }

    /** A new connection without a read timeout; the relay needs very few. */
    Connection connect() throws SQLException {
        return connect(Duration.ZERO);
    }

    /**
     * A new connection for short queries, with a read timeout. Connecting has a timeout in any case; without it,
     * drivers wait forever for a server that accepts the connection and never answers. Timeouts in the URL take
     * precedence.
     *
     * @param answerLimit zero for none
     */
    Connection connect(Duration answerLimit) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        limitLogin(properties, "connectTimeout");
        limitLogin(properties, SOCKET_TIMEOUT);
        Connection conn = DriverManager.getConnection(jdbcUrl, properties);
        try {
            if (properties.containsKey(SOCKET_TIMEOUT)) {
                conn.setNetworkTimeout(Runnable::run, Math.toIntExact(answerLimit.toMillis()));
            }
            return conn;
        } catch (SQLException | RuntimeException e) {
            conn.close();
            throw e;
        }
    }

    private void limitLogin(Properties properties, String name) {
        if (!jdbcUrl.contains(name)) {
            long limit = kind.equals("postgresql") ? LOGIN_LIMIT.toSeconds() : LOGIN_LIMIT.toMillis();
            properties.setProperty(name, Long.toString(limit));
        }
    }

    TimeColumns times() {
        return kind.equals("postgresql") ? TimeColumns.WITH_TIME_ZONE : TimeColumns.UTC_DATE_TIME;
    }

    @Override
    public String toString() {
        return kind + " at " + host + ":" + port + "/" + database + " as " + user;
    }
}
