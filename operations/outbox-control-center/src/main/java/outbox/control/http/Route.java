package outbox.control.http;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.access.Permission;

/**
 * One endpoint of the API. It belongs to an application if its path contains {@code {app}}.
 *
 * @param path below {@code /api/v1}; parts in braces match one segment
 * @param permission the required permission; {@code null} only for {@link #open}
 * @param query names of the query parameters, for the API document
 */
record Route(
        String method,
        String path,
        @Nullable Permission permission,
        String summary,
        List<String> query,
        Handler handler) {

    /** Handles a request. */
    @FunctionalInterface
    interface Handler {
        void handle(Exchange exchange) throws java.io.IOException, SQLException;
    }

    static Route of(
            String method, String path, Permission permission, String summary, Handler handler, String... query) {
        return new Route(method, path, permission, summary, List.of(query), handler);
    }

    /** Accessible without login; use sparingly. */
    static Route open(String method, String path, String summary, Handler handler) {
        return new Route(method, path, null, summary, List.of(), handler);
    }

    boolean isOpen() {
        return permission == null;
    }

    boolean isChange() {
        return !method.equals("GET");
    }

    /**
     * Whether requests are audited before they are executed. Open routes audit themselves, because anyone can call
     * them.
     */
    boolean isRecordedFirst() {
        return isChange() && !isOpen() && !path.endsWith("/dry-run");
    }

    /** The values of the parts in braces; {@code null} if the path does not match. */
    @Nullable
    Map<String, String> match(String requested) {
        String[] wanted = path.split("/", -1);
        String[] given = requested.split("/", -1);
        if (wanted.length != given.length) {
            return null;
        }
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i].startsWith("{")) {
                if (given[i].isEmpty()) {
                    return null;
                }
                values.put(wanted[i].substring(1, wanted[i].length() - 1), given[i]);
            } else if (!wanted[i].equals(given[i])) {
                return null;
            }
        }
        return values;
    }
}
