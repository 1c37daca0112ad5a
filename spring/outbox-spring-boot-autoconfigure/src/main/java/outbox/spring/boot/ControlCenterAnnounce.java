package outbox.spring.boot;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.remote.Announcement;
import outbox.control.remote.RemoteApplication;
import outbox.spring.boot.properties.PropertyGroup;

/** Announcement of this application to a control center server: {@code outbox.control-center.announce.*}. */
public class ControlCenterAnnounce {
    private static final String PREFIX = "outbox.control-center.announce";

    /** URL of the control center server, such as https://outbox.example.com/outbox. If not set, nothing is announced. */
    private @Nullable String server;

    /** API token of the server. It needs the role admin for the name of this application. Required with server. */
    private @Nullable String token;

    /**
     * URL under which the server reaches the control center of this application, with its path. Required with server.
     */
    private @Nullable String apiUrl;

    /**
     * Name of the token in outbox.control-center.tokens that the server sends to this application. Required with server.
     */
    private @Nullable String apiToken;

    /** Name of this application in the server. If not set, the value of spring.application.name. */
    private @Nullable String name;

    /**
     * @param tokens of this application
     * @param applicationName {@code spring.application.name}
     * @param instance name of the outbox
     * @param only whether there is no other outbox, so that the name of the application is enough
     * @throws IllegalArgumentException if a setting is missing or has no valid value
     */
    Announcement of(
            Map<String, ControlCenterProperties.Token> tokens,
            @Nullable String applicationName,
            String instance,
            boolean only) {
        ControlCenterProperties.Token known = tokens.get(required("api-token", apiToken));
        if (known == null || known.getSecret() == null) {
            throw new IllegalArgumentException(PREFIX + ".api-token is '" + apiToken
                    + "', but there is no outbox.control-center.tokens." + apiToken + ".secret");
        }
        String base = name == null || name.isBlank() ? applicationName : name;
        if (base == null || base.isBlank()) {
            throw new IllegalArgumentException("set " + PREFIX + ".name or spring.application.name");
        }
        String secret = known.getSecret();
        return new PropertyGroup(PREFIX)
                .build(() -> Announcement.of(
                        required("server", server),
                        required("token", token),
                        RemoteApplication.of(only ? base : base + "-" + instance, required("api-url", apiUrl), secret)
                                .withNameThere(instance)));
    }

    private static String required(String property, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new IllegalArgumentException("set " + PREFIX + "." + property + ", or remove " + PREFIX + ".server");
        }
        return value;
    }

    boolean isSet() {
        return server != null && !server.isBlank();
    }

    public @Nullable String getServer() {
        return server;
    }

    public void setServer(@Nullable String server) {
        this.server = server;
    }

    public @Nullable String getToken() {
        return token;
    }

    public void setToken(@Nullable String token) {
        this.token = token;
    }

    public @Nullable String getApiUrl() {
        return apiUrl;
    }

    public void setApiUrl(@Nullable String apiUrl) {
        this.apiUrl = apiUrl;
    }

    public @Nullable String getApiToken() {
        return apiToken;
    }

    public void setApiToken(@Nullable String apiToken) {
        this.apiToken = apiToken;
    }

    public @Nullable String getName() {
        return name;
    }

    public void setName(@Nullable String name) {
        this.name = name;
    }
}
