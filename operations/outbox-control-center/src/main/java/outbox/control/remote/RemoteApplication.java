package outbox.control.remote;

import java.net.URI;
import java.time.Duration;
import java.util.Objects;
import outbox.control.source.Application;

/**
 * An application that is reached through the control center embedded in it. Immutable.
 *
 * @param name its name in this control center
 * @param url of the embedded control center, such as {@code https://orders.internal/outbox}
 * @param token an API token of the embedded control center; its rights bound what users can do
 * @param nameThere its name in the embedded control center
 * @param timeout for a complete answer
 */
public record RemoteApplication(String name, URI url, String token, String nameThere, Duration timeout) {
    /** Longer than the time limits of the application's own queries. */
    public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(15);

    private static final String API = "/api/v1";

    public RemoteApplication {
        Application.checkName(name);
        Application.checkName(nameThere);
        Objects.requireNonNull(url, "url");
        if (token.isBlank() || !token.strip().chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException("the API token of '" + name + "' is blank or has invalid characters");
        }
        token = token.strip();
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("the timeout of '" + name + "' must be positive, not " + timeout);
        }
    }

    /**
     * With the same name there and the default timeout.
     *
     * @throws IllegalArgumentException if the URL is not an absolute http or https URL without user, query and fragment
     */
    public static RemoteApplication of(String name, String url, String token) {
        return new RemoteApplication(name, base(name, url), token, name, DEFAULT_TIMEOUT);
    }

    public RemoteApplication withNameThere(String nameThere) {
        return new RemoteApplication(name, url, token, nameThere, timeout);
    }

    public RemoteApplication withTimeout(Duration timeout) {
        return new RemoteApplication(name, url, token, nameThere, timeout);
    }

    private static URI base(String name, String url) {
        try {
            String plain = url.strip().replaceAll("/+$", "");
            plain = plain.endsWith(API) ? plain.substring(0, plain.length() - API.length()) : plain;
            URI uri = new URI(plain);
            boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            if (http
                    && uri.getHost() != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawQuery() == null
                    && uri.getRawFragment() == null) {
                return uri;
            }
        } catch (java.net.URISyntaxException e) {
            // the same message; the URL itself may contain a password
        }
        throw new IllegalArgumentException(
                "the API URL of '" + name
                        + "' must be an http or https URL without user, query and fragment, such as https://orders.internal/outbox");
    }

    /** @param path encoded, below {@code /api/v1} */
    URI api(String path) {
        return URI.create(url + API + path);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return name + " at " + url;
    }
}
