package outbox.webhook;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The first request of the HTTP client to the relay.
 *
 * @param host as in a URL, with IPv6 addresses in brackets
 */
record ConnectRequest(String host, int port) {
    private static final Pattern FIRST_LINE = Pattern.compile("CONNECT (\\S+):([0-9]{1,5}) HTTP/1\\.1");

    /** Whether the buffer, from its start to its position, ends with the blank line. */
    static boolean isComplete(ByteBuffer head) {
        int end = head.position();
        return end >= 4
                && head.get(end - 4) == '\r'
                && head.get(end - 3) == '\n'
                && head.get(end - 2) == '\r'
                && head.get(end - 1) == '\n';
    }

    /** @return {@code null} if this is not such a request, or its authorization is wrong */
    static @Nullable ConnectRequest parse(ByteBuffer head, String authorization) {
        String text =
                StandardCharsets.ISO_8859_1.decode(head.duplicate().flip()).toString();
        String[] lines = text.split("\r\n", -1);
        Matcher first = FIRST_LINE.matcher(lines[0]);
        if (!first.matches() || !isAuthorized(lines, authorization)) {
            return null;
        }
        String host = first.group(1);
        boolean bareIpv6 = host.indexOf(':') >= 0 && !host.startsWith("[");
        return new ConnectRequest(bareIpv6 ? "[" + host + "]" : host, Integer.parseInt(first.group(2)));
    }

    private static boolean isAuthorized(String[] lines, String authorization) {
        for (String line : lines) {
            if (line.toLowerCase(Locale.ROOT).startsWith("proxy-authorization:")) {
                String given = line.substring(line.indexOf(':') + 1).strip();
                return MessageDigest.isEqual(
                        given.getBytes(StandardCharsets.ISO_8859_1),
                        authorization.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
