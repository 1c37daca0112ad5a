package outbox.control.server;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request whose body has been read. Used by one thread. */
final class CompleteRequest extends HttpServletRequestWrapper {
    private static final String FORM = "application/x-www-form-urlencoded";

    private final byte[] body;
    private final Map<String, String[]> parameters;

    /** @throws IllegalArgumentException if the body is a form that cannot be decoded */
    CompleteRequest(HttpServletRequest request, byte[] body) {
        super(request);
        this.body = body;
        this.parameters = parameters(request, body);
    }

    private static Map<String, String[]> parameters(HttpServletRequest request, byte[] body) {
        if (!Objects.requireNonNullElse(request.getContentType(), "").startsWith(FORM)) {
            return request.getParameterMap();
        }
        Map<String, List<String>> all = new LinkedHashMap<>();
        request.getParameterMap()
                .forEach((name, values) ->
                        all.computeIfAbsent(name, same -> new ArrayList<>()).addAll(List.of(values)));
        for (String part : new String(body, StandardCharsets.UTF_8).split("&", -1)) {
            int at = part.indexOf('=');
            if (!part.isEmpty()) {
                all.computeIfAbsent(decode(at < 0 ? part : part.substring(0, at)), same -> new ArrayList<>())
                        .add(at < 0 ? "" : decode(part.substring(at + 1)));
            }
        }
        Map<String, String[]> parameters = new LinkedHashMap<>();
        all.forEach((name, values) -> parameters.put(name, values.toArray(String[]::new)));
        return Collections.unmodifiableMap(parameters);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    @Override
    public @Nullable String getParameter(String name) {
        String[] values = parameters.get(name);
        return values == null || values.length == 0 ? null : values[0];
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        return parameters;
    }

    @Override
    public Enumeration<String> getParameterNames() {
        return Collections.enumeration(parameters.keySet());
    }

    @Override
    public String @Nullable [] getParameterValues(String name) {
        return parameters.get(name);
    }

    @Override
    public BufferedReader getReader() {
        return new BufferedReader(new InputStreamReader(getInputStream(), StandardCharsets.UTF_8));
    }

    @Override
    public ServletInputStream getInputStream() {
        ByteArrayInputStream in = new ByteArrayInputStream(body);
        return new ServletInputStream() {
            @Override
            public int read() {
                return in.read();
            }

            @Override
            public int read(byte[] bytes, int from, int length) {
                return in.read(bytes, from, length);
            }

            @Override
            public boolean isFinished() {
                return in.available() == 0;
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setReadListener(ReadListener listener) {
                throw new IllegalStateException("the body has been read already");
            }
        };
    }
}
