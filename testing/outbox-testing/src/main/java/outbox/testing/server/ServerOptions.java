package outbox.testing.server;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * What a test wants to be different about a server it starts for itself. Immutable and thread-safe.
 *
 * <pre>{@code
 * EmbeddedServer server = EmbeddedPostgres.start(ServerOptions.defaults().with("wal_level", "logical"));
 * }</pre>
 */
public final class ServerOptions {

    /** How long a server may take to answer its first connection. */
    public static final Duration DEFAULT_START_TIMEOUT = Duration.ofSeconds(60);

    private static final ServerOptions DEFAULTS = new ServerOptions(Map.of(), Map.of(), DEFAULT_START_TIMEOUT);

    private final Map<String, String> settings;
    private final Map<String, String> environment;
    private final Duration startTimeout;

    private ServerOptions(Map<String, String> settings, Map<String, String> environment, Duration startTimeout) {
        this.settings = settings;
        this.environment = environment;
        this.startTimeout = startTimeout;
    }

    /** Returns options that change nothing. */
    public static ServerOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Returns these options with one more server setting, which wins over the setting this library would choose.
     *
     * @param setting the name the server knows, such as {@code wal_level} (PostgreSQL) or {@code binlog_format}
     * @param value its value; empty for an option without one, such as {@code skip-log-bin}
     */
    public ServerOptions with(String setting, String value) {
        Objects.requireNonNull(value, "value");
        if (!setting.matches("[A-Za-z][A-Za-z0-9_.-]*")) {
            throw new IllegalArgumentException("Not the name of a server setting: '" + setting + "'");
        }
        return new ServerOptions(with(settings, setting, value), environment, startTimeout);
    }

    /** Returns these options with one more variable in the environment of the server's process. */
    public ServerOptions withEnvironment(String variable, String value) {
        return new ServerOptions(settings, with(environment, variable, value), startTimeout);
    }

    private static Map<String, String> with(Map<String, String> map, String key, String value) {
        Map<String, String> more = new LinkedHashMap<>(map);
        more.put(key, value);
        return Collections.unmodifiableMap(more);
    }

    /** Returns these options with another limit for the start, instead of {@link #DEFAULT_START_TIMEOUT}. */
    public ServerOptions withStartTimeout(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("The start timeout must be positive, not " + timeout);
        }
        return new ServerOptions(settings, environment, timeout);
    }

    /** Returns the extra server settings in the order they were given. */
    public Map<String, String> settings() {
        return settings;
    }

    /** Returns the variables that are set in addition to those of this JVM. */
    public Map<String, String> environment() {
        return environment;
    }

    /** Returns how long the server may take to answer its first connection. */
    public Duration startTimeout() {
        return startTimeout;
    }
}
