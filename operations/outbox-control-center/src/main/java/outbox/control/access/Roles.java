package outbox.control.access;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The text form of roles by application: {@code *=admin} or {@code billing=operator,orders=viewer}. */
public final class Roles {
    private Roles() {}

    static String format(Map<String, Role> roles) {
        return new TreeMap<>(roles)
                .entrySet().stream()
                        .map(entry ->
                                entry.getKey() + "=" + entry.getValue().name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(","));
    }

    /** @throws IllegalArgumentException for an unknown role */
    public static Map<String, Role> parse(String text) {
        Map<String, Role> roles = new TreeMap<>();
        for (String part : text.split(",", -1)) {
            int at = part.lastIndexOf('=');
            if (at > 0) {
                roles.put(part.substring(0, at), Role.parse(part.substring(at + 1)));
            }
        }
        return roles;
    }
}
