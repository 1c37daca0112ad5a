package outbox.webhook;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Keeps requests away from where a stranger's URL must not lead: the own machine, the own network, plain HTTP. A URL is
 * looked at when its endpoint is made, its name again for each connection, and the connection goes to the very addresses
 * looked at. Thread-safe.
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

    /** What can be said without a resolver. @throws IllegalArgumentException if no request may ever go to this URL */
    void check(URI url) {
        String scheme = url.getScheme() == null ? "" : url.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("https") && !scheme.equals("http")) {
            throw refused(url, "its scheme is not https");
        }
        if (scheme.equals("http") && !httpAllowed) {
            throw refused(url, "it is plain HTTP; allowHttp() permits that");
        }
        String host = url.getHost();
        if (host == null) {
            throw refused(url, "it has no valid host");
        }
        if (url.getRawUserInfo() != null || url.getRawFragment() != null) {
            throw refused(url, "it has a user or a fragment");
        }
        if (url.getPort() == 0 || url.getPort() > 65_535) {
            throw refused(url, "its port is none");
        }
        String complaint = HostName.complaint(host);
        if (complaint != null) {
            throw refused(url, "its host " + complaint);
        }
        InetAddress literal = HostName.literal(host);
        String objection = literal == null ? null : rules.objection(literal);
        if (objection != null) {
            throw refused(url, "its address is " + objection + "; allowAddresses(...) permits a block");
        }
    }

    /** Names scheme and host only: path and query may hold secrets. */
    private static IllegalArgumentException refused(URI url, String why) {
        return new IllegalArgumentException(
                "no webhook may go to " + url.getScheme() + "://" + url.getHost() + ": " + why);
    }

    /**
     * The addresses to connect to. One that is not allowed spoils all: a name for both a public and a private address is
     * an attempt to get through, or a mistake.
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
                throw new BlockedDestinationException("host " + host + " has the address " + address.getHostAddress()
                        + " (" + objection + "); nothing was sent. allowAddresses(...) permits a block of addresses");
            }
            addresses.add(address);
        }
        if (addresses.isEmpty()) {
            throw new UnknownHostException(host);
        }
        return addresses;
    }
}
