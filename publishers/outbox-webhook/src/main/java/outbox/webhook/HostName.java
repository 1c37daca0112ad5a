package outbox.webhook;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses the host of a URL, in one way for all parts of this module. Unusual notations that some programs accept as
 * addresses ({@code 2130706433}, {@code 0x7f.1}, {@code 0177.0.0.1}) are rejected and never resolved.
 */
final class HostName {
    private static final Pattern DOTTED_QUAD =
            Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0[xX][0-9a-fA-F]*");
    private static final Pattern NAME = Pattern.compile(
            "(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*");

    private HostName() {}

    /**
     * @param host as {@code URI.getHost()} gives it: IPv6 addresses in brackets
     * @return what is wrong with it, or {@code null} if it is a name or an address in its usual form
     */
    static @Nullable String complaint(String host) {
        if (literal(host) != null) {
            return null;
        }
        if (host.startsWith("[")) {
            return "is not an IPv6 address, or has a zone";
        }
        String undotted = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        if (NUMBER.matcher(undotted.substring(undotted.lastIndexOf('.') + 1)).matches()) {
            return "looks like an IP address but is not written as four decimal numbers";
        }
        return NAME.matcher(host.toLowerCase(Locale.ROOT)).matches() ? null : "is not a host name";
    }

    /** The host as it is written in a URL: IPv6 addresses in brackets. */
    static String inUrl(String host) {
        return host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    }

    /** The address, if the host is one in its usual form; never asks a resolver. */
    static @Nullable InetAddress literal(String host) {
        boolean ipv6 = host.startsWith("[") && host.endsWith("]") && host.indexOf('%') < 0;
        if (!ipv6 && !DOTTED_QUAD.matcher(host).matches()) {
            return null;
        }
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
