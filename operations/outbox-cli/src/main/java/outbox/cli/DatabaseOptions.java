package outbox.cli;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Database, user and table options. */
final class DatabaseOptions {
    private static final Pattern PASSWORD = Pattern.compile("(?i)(password=|:)[^&;@/]+(?=@)|(?<=password=)[^&;]*");

    @Option(
            names = "--url",
            paramLabel = "JDBC-URL",
            defaultValue = "${env:OUTBOX_DB_URL:-}",
            description = "JDBC URL of the database, such as jdbc:postgresql://host/db; default: OUTBOX_DB_URL")
    private String url = "";

    @Option(
            names = "--user",
            paramLabel = "NAME",
            defaultValue = "${env:OUTBOX_DB_USER:-}",
            description = "database user; default: OUTBOX_DB_USER. Read access is enough")
    private String user = "";

    @Option(
            names = "--password-file",
            paramLabel = "FILE",
            description = "file with the password; default: the environment variable OUTBOX_DB_PASSWORD")
    private @Nullable Path passwordFile;

    @Option(names = "--ask-password", description = "ask for the password")
    private boolean askPassword;

    @Option(names = "--password", hidden = true, arity = "0..1")
    private @Nullable String passwordArgument;

    @Option(
            names = "--table",
            paramLabel = "NAME",
            defaultValue = "outbox_event",
            description = "the outbox table, or schema.table; default: ${DEFAULT-VALUE}")
    private String table = "outbox_event";

    boolean isGiven() {
        return !url.isBlank();
    }

    String url() {
        return url;
    }

    String table() {
        return table;
    }

    DataSource dataSource() {
        if (passwordArgument != null) {
            throw Secret.notAsArgument("password", "OUTBOX_DB_PASSWORD", "--password-file or --ask-password");
        }
        if (!url.startsWith("jdbc:")) {
            throw new CliException(
                    ExitCode.CANNOT_RUN,
                    url.isBlank()
                            ? "no database given: use --url jdbc:postgresql://host/db, or OUTBOX_DB_URL"
                            : "--url must begin with jdbc:, such as jdbc:postgresql://host/db");
        }
        Properties properties = new Properties();
        if (!user.isBlank()) {
            properties.setProperty("user", user);
        }
        String password = Secret.find("database password", passwordFile, askPassword, "OUTBOX_DB_PASSWORD");
        if (password != null) {
            properties.setProperty("password", password);
        }
        return new DriverDataSource(() -> connect(properties));
    }

    private Connection connect(Properties properties) throws SQLException {
        return DriverManager.getConnection(url, properties);
    }

    /** A driver's message may contain the URL, and the URL may contain a password. */
    static String withoutPasswords(String message) {
        return PASSWORD.matcher(message).replaceAll("…");
    }
}
