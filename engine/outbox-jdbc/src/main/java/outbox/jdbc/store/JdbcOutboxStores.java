package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.TableNames;
import outbox.util.JsonCodec;

/**
 * The stores on the class path, as {@link ServiceLoader} finds them: the four of this module, and those that others
 * register under the name of {@link AbstractJdbcOutboxStore}. Thread-safe.
 */
public final class JdbcOutboxStores {
    private static final Pattern SUBPROTOCOL = Pattern.compile("jdbc:[A-Za-z0-9+._-]+:", Pattern.CASE_INSENSITIVE);

    private JdbcOutboxStores() {}

    /** All stores, each on the default table. */
    public static List<AbstractJdbcOutboxStore> all() {
        List<AbstractJdbcOutboxStore> found = load(Thread.currentThread().getContextClassLoader());
        return found.isEmpty() ? load(JdbcOutboxStores.class.getClassLoader()) : found;
    }

    private static List<AbstractJdbcOutboxStore> load(ClassLoader loader) {
        return ServiceLoader.load(AbstractJdbcOutboxStore.class, loader).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
    }

    /**
     * The store of that name, such as {@code postgresql}.
     *
     * @throws IllegalArgumentException if there is none; the message lists the known names
     */
    public static AbstractJdbcOutboxStore get(String name) {
        return all().stream()
                .filter(store -> store.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no store named '" + name + "'; known are "
                        + all().stream().map(AbstractJdbcOutboxStore::name).collect(Collectors.joining(", "))));
    }

    /** The store for the database of a data source; opens a connection to read the URL. */
    public static AbstractJdbcOutboxStore detect(DataSource dataSource) {
        return detect(urlOf(dataSource));
    }

    /** As {@link #detect(DataSource)}, with a codec for headers. */
    public static AbstractJdbcOutboxStore detect(DataSource dataSource, JsonCodec codec) {
        return detect(urlOf(dataSource), codec);
    }

    /**
     * The store for a JDBC URL.
     *
     * @throws IllegalArgumentException if no store matches; the message lists the known prefixes, and only the prefix
     *     of the URL, because the rest may contain a password
     */
    public static AbstractJdbcOutboxStore detect(String jdbcUrl) {
        return find(jdbcUrl)
                .orElseThrow(() -> new IllegalArgumentException("no outbox store for JDBC URL '" + beginning(jdbcUrl)
                        + "…'; known are "
                        + all().stream()
                                .flatMap(store -> store.jdbcUrlPrefixes().stream())
                                .collect(Collectors.joining(", "))
                        + "; for another database, pass the store explicitly"));
    }

    /** As {@link #detect(String)}, with a codec for headers. */
    public static AbstractJdbcOutboxStore detect(String jdbcUrl, JsonCodec codec) {
        return detect(jdbcUrl).withJsonCodec(codec);
    }

    /** Whether a table exists. Use a connection in auto-commit mode. */
    public static boolean hasTable(Connection conn, String tableName) throws SQLException {
        try (PreparedStatement statement =
                        conn.prepareStatement("SELECT 1 FROM " + TableNames.validate(tableName) + " WHERE 1 = 0");
                ResultSet none = statement.executeQuery()) {
            return !none.next();
        } catch (SQLException e) {
            if (isMissingTable(conn, e)) {
                return false;
            }
            throw e;
        }
    }

    private static Optional<AbstractJdbcOutboxStore> find(String jdbcUrl) {
        String url = jdbcUrl.toLowerCase(Locale.ROOT);
        return all().stream()
                .filter(store -> store.jdbcUrlPrefixes().stream().anyMatch(url::startsWith))
                .findFirst();
    }

    private static boolean isMissingTable(Connection conn, SQLException e) throws SQLException {
        return SqlDialect.isKnownMissingTable(e)
                || find(String.valueOf(conn.getMetaData().getURL()))
                        .filter(store -> store.dialect().isMissingTable(e))
                        .isPresent();
    }

    private static String beginning(String url) {
        Matcher matcher = SUBPROTOCOL.matcher(url);
        return matcher.lookingAt() ? matcher.group() : "";
    }

    private static String urlOf(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection()) {
            String url = connection.getMetaData().getURL();
            if (url == null) {
                throw new IllegalArgumentException(
                        "the driver does not report its JDBC URL; pass the store explicitly instead of detecting it");
            }
            return url;
        } catch (SQLException e) {
            throw new OutboxStoreException("cannot connect in order to detect the database", e);
        }
    }
}
