package outbox.control.http;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.access.Permission;

/**
 * One thing that can be asked for. It belongs to an application if its path has {@code {app}} in it.
 *
 * @param path below {@code /api/v1}; parts in braces match one segment
 * @param permission what it takes; {@code null} only by {@link #open}
 * @param query names of the query parameters, for the API document
 */
record Route(
        String method,
        String path,
        @Nullable Permission permission,
        String summary,
        List<String> query,
        Handler handler) {

    /** Answers it. */
    @FunctionalInterface
    interface Handler {
        void handle(Exchange exchange) throws java.io.IOException, SQLException;
    }

    static Route of(
            String method, String path, Permission permission, String summary, Handler handler, String... query) {
        return new Route(method, path, permission, summary, List.of(query), handler);
    }

    /** For everybody, logged in or not: there are as few of these as can be. */
    static Route open(String method, String path, String summary, Handler handler) {
        return new Route(method, path, null, summary, List.of(), handler);
    }

    boolean isOpen() {
        return permission == null;
    }

    boolean isChange() {
        return !method.equals("GET");
    }

    /** Whether it is in the audit log before it is done. An open route sees to that itself: anybody can send it. */
    boolean isRecordedFirst() {
        return isChange() && !isOpen() && !path.endsWith("/dry-run");
    }

    /** The values of the parts in braces, or {@code null} if the path is another one. */
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
