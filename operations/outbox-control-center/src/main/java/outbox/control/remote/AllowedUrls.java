package outbox.control.remote;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The URLs that announced applications may have, because this control center connects to them: {@code
 * https://orders.internal/outbox}, or {@code https://*.internal:8443} for every host below a domain. Scheme, host and port
 * must be equal; a path contains everything below it. Immutable.
 */
public final class AllowedUrls {
    private static final Pattern FORM = Pattern.compile(
            "(?<scheme>https?)://(?<any>\\*\\.)?(?<host>[a-z0-9-]+(\\.[a-z0-9-]+)*|\\[[0-9a-f:.]+])(:(?<port>\\d{1,5}))?"
                    + "(?<path>(/[^/?#*%\\\\\\s]+)*)/?",
            Pattern.CASE_INSENSITIVE);
    /** What is not read in the same way by everyone: a path could leave the allowed one. */
    private static final Pattern AMBIGUOUS = Pattern.compile("//|/\\.{1,2}(/|$)|[%\\\\;]");

    private final List<Allowed> allowed;

    private record Allowed(String scheme, boolean anyHostBelow, String host, int port, String path) {
        boolean contains(URI url) {
            String given = lower(url.getHost());
            return scheme.equals(lower(url.getScheme()))
                    && port == portOf(url.getScheme(), url.getPort())
                    && (anyHostBelow ? given.endsWith("." + host) : given.equals(host))
                    && (path.isEmpty()
                            || url.getRawPath().equals(path)
                            || url.getRawPath().startsWith(path + "/"));
        }
    }

    private AllowedUrls(List<Allowed> allowed) {
        this.allowed = allowed;
    }

    /** @throws IllegalArgumentException if one of them is not such a URL */
    public static AllowedUrls of(Collection<String> urls) {
        return new AllowedUrls(urls.stream().map(AllowedUrls::parse).toList());
    }

    private static Allowed parse(String text) {
        Matcher url = FORM.matcher(text.strip());
        if (!url.matches() || AMBIGUOUS.matcher(url.group("path")).find()) {
            throw new IllegalArgumentException(
                    "'" + text + "' must be an http or https URL without user, query and"
                            + " fragment, such as https://orders.internal/outbox, or https://*.internal for all hosts of a domain");
        }
        int port = url.group("port") == null ? -1 : Integer.parseInt(url.group("port"));
        return new Allowed(
                lower(url.group("scheme")),
                url.group("any") != null,
                lower(url.group("host")),
                portOf(url.group("scheme"), port),
                url.group("path"));
    }

    private static int portOf(String scheme, int port) {
        return port >= 0 ? port : "https".equalsIgnoreCase(scheme) ? 443 : 80;
    }

    private static String lower(@Nullable String text) {
        return Objects.requireNonNullElse(text, "").toLowerCase(Locale.ROOT);
    }

    public boolean isEmpty() {
        return allowed.isEmpty();
    }

    /** Whether this control center may connect to it. */
    public boolean contains(URI url) {
        return url.getHost() != null
                && url.getRawUserInfo() == null
                && !AMBIGUOUS
                        .matcher(Objects.requireNonNullElse(url.getRawPath(), ""))
                        .find()
                && allowed.stream().anyMatch(one -> one.contains(url));
    }
}
