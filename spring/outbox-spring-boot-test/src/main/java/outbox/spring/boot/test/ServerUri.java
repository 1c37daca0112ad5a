package outbox.spring.boot.test;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The address of a server, such as {@code redis://user:password@localhost:6379/0}; only the host is required. */
record ServerUri(URI uri) {
    ServerUri(String text) {
        this(URI.create(text));
    }

    String host() {
        return uri.getHost();
    }

    int port(int otherwise) {
        return uri.getPort() < 0 ? otherwise : uri.getPort();
    }

    @Nullable
    String username() {
        String[] login = login();
        return login.length == 0 || login[0].isEmpty() ? null : login[0];
    }

    @Nullable
    String password() {
        String[] login = login();
        return login.length < 2 ? null : login[1];
    }

    private String[] login() {
        return uri.getUserInfo() == null ? new String[0] : uri.getUserInfo().split(":", 2);
    }

    /** Without its first slash; {@code null} if there is none. */
    @Nullable
    String path() {
        String path = uri.getRawPath();
        return path == null || path.length() < 2 ? null : URLDecoder.decode(path.substring(1), StandardCharsets.UTF_8);
    }
}
