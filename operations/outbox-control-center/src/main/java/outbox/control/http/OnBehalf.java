package outbox.control.http;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.access.Operator;
import outbox.control.access.Permission;
import outbox.control.access.Rights;
import outbox.control.access.Role;

/**
 * Headers by which one control center tells another for which user it sends a request. They can only reduce the rights
 * of the token, and the audit log names both, so a token cannot be used to pose as a user.
 */
final class OnBehalf {
    static final String OPERATOR = "X-Outbox-Operator";
    /** A role, then {@code payloads} and {@code clones} if they are granted. */
    static final String RIGHTS = "X-Outbox-Operator-Rights";

    private static final int MAX_NAME = 128;
    private static final String PAYLOADS = "payloads";
    private static final String CLONES = "clones";

    private OnBehalf() {}

    /** The headers for a request of this user about this application. */
    static Map<String, String> headers(Operator operator, String application) {
        Role role = operator.may(Permission.ADMIN, application)
                ? Role.ADMIN
                : operator.may(Permission.ACT, application) ? Role.OPERATOR : Role.VIEWER;
        String rights = role.name().toLowerCase(Locale.ROOT)
                + (operator.may(Permission.PAYLOAD, application) ? " " + PAYLOADS : "")
                + (operator.may(Permission.CLONE, application) ? " " + CLONES : "");
        return Map.of(OPERATOR, URLEncoder.encode(operator.name(), StandardCharsets.UTF_8), RIGHTS, rights);
    }

    /**
     * @param caller who sent the request: the owner of the token
     * @return the caller, with the name of the user added and without rights the user does not have
     * @throws ApiException 400 if the headers are incomplete, wrong or sent without a token
     */
    static @Nullable Operator narrow(@Nullable Operator caller, HttpServletRequest request) {
        String name = request.getHeader(OPERATOR);
        String rights = request.getHeader(RIGHTS);
        if (caller == null || (name == null && rights == null)) {
            return caller;
        }
        String authorization = request.getHeader("Authorization");
        if (authorization == null || !authorization.regionMatches(true, 0, "Bearer ", 0, 7)) {
            throw new ApiException(400, "the header " + OPERATOR + " needs an API token");
        }
        if (name == null || rights == null) {
            throw new ApiException(400, "the headers " + OPERATOR + " and " + RIGHTS + " must be sent together");
        }
        return new Operator(named(name, caller), bounded(caller.rights(), List.of(rights.split(" ", -1))));
    }

    /** Such as {@code anna (token center)}; a long name is cut, never that of the token. */
    private static String named(String encoded, Operator caller) {
        String user;
        try {
            user = URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new ApiException(400, "the header " + OPERATOR + " must be URL-encoded");
        }
        if (user.isBlank() || user.chars().anyMatch(Character::isISOControl)) {
            throw new ApiException(400, "the header " + OPERATOR + " must be the name of a user");
        }
        String suffix = " (" + caller.name() + ")";
        int room = Math.max(1, MAX_NAME - suffix.length());
        return (user.length() <= room ? user : user.substring(0, room - 1) + "…") + suffix;
    }

    private static Rights bounded(Rights own, List<String> given) {
        Role bound = Role.parse(given.get(0));
        Map<String, Role> roles = new LinkedHashMap<>();
        own.roles().forEach((where, role) -> roles.put(where, role.compareTo(bound) < 0 ? role : bound));
        return new Rights(roles, own.payloads() && given.contains(PAYLOADS), own.clones() && given.contains(CLONES));
    }
}
