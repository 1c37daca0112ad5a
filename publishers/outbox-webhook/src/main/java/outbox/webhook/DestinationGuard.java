package outbox.webhook;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Protects against server-side request forgery: blocks requests to this machine, private networks and plain HTTP. URLs
 * are checked when an endpoint is created; the addresses of the host are checked again for each connection, and only
 * the checked addresses are used. Thread-safe.
 */
final class DestinationGuard {
    private final AddressRules rules;
    private final boolean httpAllowed;
    private final HostResolver resolver;

    DestinationGuard(AddressRules rules, boolean httpAllowed, HostResolver resolver) {
        this.rules = rules;
        this.httpAllowed = httpAllowed;
        this.resolver = resolver;
    }

    /** Checks a URL without resolving its host. @throws IllegalArgumentException if the URL is never allowed */
    void check(URI url) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !scheme.equals("http")) {
            throw refused(url, "its scheme is not https");
        }
        if (scheme.equals("http") && !httpAllowed) {
            throw refused(url, "it uses plain HTTP; allow it with allowHttp()");
        }
        String host = url.getHost();
        if (host == null) {
            throw refused(url, "it has no valid host");
        }
        if (url.getRawUserInfo() != null || url.getRawFragment() != null) {
            throw refused(url, "it contains user information or a fragment");
        }
        if (url.getPort() == 0 || url.getPort() > 65_535) {
            throw refused(url, "its port is invalid");
        }
        String complaint = HostName.complaint(host);
        if (complaint != null) {
            throw refused(url, "its host " + complaint);
        }
        InetAddress literal = HostName.literal(host);
        String objection = literal == null ? null : rules.objection(literal);
        if (objection != null) {
            throw refused(url, "its address is " + objection + "; allow a block with allowAddresses(...)");
        }
    }

    /** Contains only scheme and host: path and query may contain secrets. */
    private static IllegalArgumentException refused(URI url, String why) {
        return new IllegalArgumentException(
                "webhooks are not allowed to " + url.getScheme() + "://" + url.getHost() + ": " + why);
    }

    /**
     * The addresses to connect to. All of them must be allowed: a name with both public and private addresses is an
     * attack or a mistake.
     *
     * @throws BlockedDestinationException if no connection may be opened
     * @throws UnknownHostException if the name has no address
     */
    List<InetAddress> resolve(String host) throws BlockedDestinationException, UnknownHostException {
        String complaint = HostName.complaint(host);
        if (complaint != null) {
            throw new BlockedDestinationException("host " + host + " " + complaint + "; nothing was sent");
        }
        InetAddress literal = HostName.literal(host);
        InetAddress[] found = literal == null ? resolver.resolve(host) : new InetAddress[] {literal};
        List<InetAddress> addresses = new ArrayList<>(found.length);
        for (InetAddress address : found) {
            @Nullable String objection = rules.objection(address);
            if (objection != null) {
                throw new BlockedDestinationException(
                        "host " + host + " has the address " + address.getHostAddress() + " (" + objection
                                + "); nothing was sent. Allow a block of addresses with allowAddresses(...)");
            }
            addresses.add(address);
        }
        if (addresses.isEmpty()) {
            throw new UnknownHostException(host);
        }
        return addresses;
    }
}
