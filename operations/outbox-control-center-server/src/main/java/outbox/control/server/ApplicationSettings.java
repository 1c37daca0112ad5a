package outbox.control.server;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.control.remote.RemoteApplication;
import outbox.control.server.ServerProperties.ApplicationAccess;

/** Refuses contradictions in {@code outbox.control-center.applications.*} at startup, by the names of the settings. */
final class ApplicationSettings {
    private static final Logger LOG = System.getLogger(ApplicationSettings.class.getName());
    private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "[::1]");

    private ApplicationSettings() {}

    /** @throws IllegalArgumentException if it is not clear how the application is reached */
    static void check(String name, ApplicationAccess access) {
        String prefix = "outbox.control-center.applications." + name + ".";
        if (access.url() != null && access.apiUrl() != null) {
            throw new IllegalArgumentException(prefix + "url and " + prefix
                    + "api-url are both set: choose the database or the API of the application");
        }
        if (access.url() == null && access.apiUrl() == null) {
            throw new IllegalArgumentException(
                    "set " + prefix + "url for the database of the application, or " + prefix + "api-url for its API");
        }
        boolean overHttp = access.apiUrl() != null;
        (overHttp ? ofDatabase(access) : ofApi(access)).forEach((setting, value) -> {
            if (value != null) {
                throw new IllegalArgumentException(prefix + setting + " has no effect with " + prefix
                        + (overHttp ? "api-url" : "url") + ": remove one of them");
            }
        });
        if (overHttp && (access.token() == null || access.token().isBlank())) {
            throw new IllegalArgumentException(prefix + "api-url needs " + prefix
                    + "token, a token of the control center embedded in the application");
        }
    }

    private static Map<String, @Nullable Object> ofDatabase(ApplicationAccess access) {
        Map<String, @Nullable Object> settings = new LinkedHashMap<>();
        settings.put("username", access.username());
        settings.put("password", access.password());
        settings.put("table", access.table());
        settings.put("consumption-table", access.consumptionTable());
        settings.put("delivered-from-log", access.deliveredFromLog());
        settings.put("xxl-job", access.xxlJob());
        return settings;
    }

    private static Map<String, @Nullable Object> ofApi(ApplicationAccess access) {
        Map<String, @Nullable Object> settings = new LinkedHashMap<>();
        settings.put("token", access.token());
        settings.put("api-application", access.apiApplication());
        settings.put("api-timeout", access.apiTimeout());
        return settings;
    }

    /** @param access checked */
    static RemoteApplication overHttp(String name, ApplicationAccess access) {
        RemoteApplication application =
                RemoteApplication.of(name, String.valueOf(access.apiUrl()), String.valueOf(access.token()));
        if (access.apiApplication() != null) {
            application = application.withNameThere(access.apiApplication());
        }
        if (access.apiTimeout() != null) {
            application = application.withTimeout(access.apiTimeout());
        }
        if ("http".equalsIgnoreCase(application.url().getScheme())
                && !LOCAL.contains(application.url().getHost())) {
            LOG.log(
                    Level.WARNING,
                    "the API of '" + name + "' is reached without TLS: its token and its data can be read on the way;"
                            + " use https in outbox.control-center.applications." + name + ".api-url");
        }
        return application;
    }
}
