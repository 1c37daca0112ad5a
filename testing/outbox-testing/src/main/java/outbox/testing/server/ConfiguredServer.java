package outbox.testing.server;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A server the user runs and names by system property or environment variable. */
final class ConfiguredServer extends JdbcServer {

    private static final Pattern URL = Pattern.compile("(jdbc:[a-z]+://[^/?]+)(?:/[^?]*)?(\\?.*)?");

    private final String beforeDatabase;
    private final String afterDatabase;
    private final String username;
    private final String password;

    private ConfiguredServer(DatabaseKind kind, String property, String url, String username, String password) {
        super(kind);
        Matcher parts = URL.matcher(url);
        if (!url.startsWith("jdbc:" + kind.id() + ":") || !parts.matches()) {
            throw new IllegalArgumentException("The value of " + property + " (or " + variable(property) + ") is '"
                    + url + "', which does not look like jdbc:" + kind.id() + "://host:port/database");
        }
        this.beforeDatabase = parts.group(1) + "/";
        @Nullable String query = parts.group(2);
        this.afterDatabase = query == null ? "" : query;
        this.username = username;
        this.password = password;
    }

    /** Returns the server that the properties {@code .url}, {@code .user} and {@code .password} name, if any. */
    static Optional<DatabaseServer> find(DatabaseKind kind) {
        String prefix = kind.property();
        String property = prefix + ".url";
        return setting(property)
                .map(url -> new ConfiguredServer(
                        kind,
                        property,
                        url,
                        setting(prefix + ".user").orElse(""),
                        setting(prefix + ".password").orElse("")));
    }

    /** Returns what a system property or the environment variable of the same name says. */
    static Optional<String> setting(String property) {
        return Optional.ofNullable(System.getProperty(property))
                .or(() -> Optional.ofNullable(System.getenv(variable(property))))
                .filter(value -> !value.isBlank());
    }

    private static String variable(String property) {
        return property.replace('.', '_').toUpperCase(Locale.ROOT);
    }

    @Override
    public String jdbcUrl(String database) {
        return beforeDatabase + database + afterDatabase;
    }

    @Override
    public String username() {
        return username;
    }

    @Override
    public String password() {
        return password;
    }

    @Override
    public String toString() {
        return kind().title() + " at " + beforeDatabase;
    }
}
