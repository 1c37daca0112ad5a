package outbox.testing.server;

import java.sql.Driver;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** What differs between the databases once a server answers: its driver and the statements around databases. */
enum DatabaseKind implements ServerKind {
    POSTGRESQL("PostgreSQL", "org.postgresql.Driver", "org.postgresql:postgresql", "postgres", "outbox.test.postgres") {
        @Override
        Map<String, String> impatience() {
            return Map.of("loginTimeout", "5", "socketTimeout", "5");
        }

        @Override
        String dropStatement(String database) {
            return "DROP DATABASE IF EXISTS " + database + " WITH (FORCE)";
        }
    },
    MYSQL("MySQL", "com.mysql.cj.jdbc.Driver", "com.mysql:mysql-connector-j", "", "outbox.test.mysql"),
    MARIADB("MariaDB", "org.mariadb.jdbc.Driver", "org.mariadb.jdbc:mariadb-java-client", "", "outbox.test.mariadb"),
    H2("H2", "org.h2.Driver", "com.h2database:h2", "", "outbox.test.h2");

    private static final Pattern DATABASE_NAME = Pattern.compile("[a-z][a-z0-9_]{0,62}");

    private final String title;
    private final String driverClass;
    private final String driverCoordinates;
    private final String maintenanceDatabase;
    private final String property;

    DatabaseKind(
            String title, String driverClass, String driverCoordinates, String maintenanceDatabase, String property) {
        this.title = title;
        this.driverClass = driverClass;
        this.driverCoordinates = driverCoordinates;
        this.maintenanceDatabase = maintenanceDatabase;
        this.property = property;
    }

    /** The name as its makers write it. */
    @Override
    public String title() {
        return title;
    }

    /** The name in URLs, properties and {@link DatabaseServer#name()}. */
    @Override
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The beginning of the system properties by which a user names a server of this kind. */
    @Override
    public String property() {
        return property;
    }

    /** Properties under which the driver gives up soon when a server does not answer. */
    Map<String, String> impatience() {
        return Map.of("connectTimeout", "5000", "socketTimeout", "5000");
    }

    /** The database to connect to in order to create another one; empty for none. */
    String maintenanceDatabase() {
        return maintenanceDatabase;
    }

    String createStatement(String database) {
        return "CREATE DATABASE " + database;
    }

    String dropStatement(String database) {
        return "DROP DATABASE IF EXISTS " + database;
    }

    static String requireDatabaseName(String database) {
        if (!DATABASE_NAME.matcher(database).matches()) {
            throw new IllegalArgumentException("Not a database name: '" + database
                    + "'. Use a lower-case letter, then at most 62 lower-case letters, digits or underscores.");
        }
        return database;
    }

    Driver driver() {
        try {
            return Class.forName(driverClass)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(
                    "The JDBC driver of " + title + " (" + driverClass + ") is not on the class path. Add "
                            + driverCoordinates + " in test scope.",
                    e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "The JDBC driver of " + title + " (" + driverClass + ") cannot be created", e);
        }
    }
}
