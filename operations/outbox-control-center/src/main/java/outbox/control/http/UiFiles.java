package outbox.control.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Serves the static files of the web page from the jar; all of them are public. */
final class UiFiles {
    private static final String ROOT = "/outbox/control/ui";
    private static final Pattern NAME = Pattern.compile("(/[a-z0-9][a-z0-9.-]*){1,3}");
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=UTF-8",
            "js", "text/javascript; charset=UTF-8",
            "css", "text/css; charset=UTF-8",
            "svg", "image/svg+xml",
            "json", "application/json",
            "md", "text/plain; charset=UTF-8"); // runbooks, readable as they are

    private UiFiles() {}

    /** @return whether there is such a file */
    static boolean serve(HttpServletRequest request, String path, HttpServletResponse response) throws IOException {
        String name = path.isEmpty() || path.equals("/") ? "/index.html" : path;
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        byte[] content = type == null || !NAME.matcher(name).matches() ? null : read(name);
        if (content == null) {
            return false;
        }
        String tag = "\"" + Integer.toHexString(java.util.Arrays.hashCode(content)) + "\"";
        response.setHeader("ETag", tag);
        response.setHeader("Cache-Control", "no-cache");
        if (tag.equals(request.getHeader("If-None-Match"))) {
            response.setStatus(304);
            return true;
        }
        response.setContentType(type);
        response.getOutputStream().write(content);
        return true;
    }

    private static byte @Nullable [] read(String name) throws IOException {
        try (InputStream in = UiFiles.class.getResourceAsStream(ROOT + name)) {
            return in == null ? null : in.readAllBytes();
        }
    }
}
