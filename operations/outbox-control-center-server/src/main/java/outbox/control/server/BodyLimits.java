package outbox.control.server;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Reads the body of a request before anything else does, within limits: its size, the time until it is complete, and the
 * number of bodies that are incomplete at the same time, for each address and in total. Clients that never complete
 * their requests then occupy few threads, and everyone else is answered. The connection of a request that exceeds a limit
 * is closed without waiting for the rest.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 1)
class BodyLimits extends OncePerRequestFilter {
    /** As large as the control center's routes accept. */
    private static final int MAX_BYTES = 1_200_000;

    private static final int MAX_INCOMPLETE = 64;
    private static final int MAX_INCOMPLETE_OF_AN_ADDRESS = 8;
    private static final String UNREAD = BodyLimits.class.getName() + ".unread";

    private final Duration timeout;
    private final Map<String, Integer> incomplete = new HashMap<>(); // by address; guarded by this
    private int total; // guarded by this

    BodyLimits(ServerProperties properties) {
        this.timeout = properties.bodyTimeout();
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (!hasBody(request)) {
            chain.doFilter(request, response);
            return;
        }
        String address = request.getRemoteAddr();
        if (!begin(address)) {
            refuse(request, response, 503, "too many incomplete requests from your address; try again later");
            return;
        }
        HttpServletRequest complete;
        try {
            complete = complete(request, response);
        } finally {
            end(address);
        }
        if (complete != null) {
            chain.doFilter(complete, response);
        }
    }

    /** HTTP/2 does not say before the body whether there is one. */
    private static boolean hasBody(HttpServletRequest request) {
        return request.getContentLengthLong() > 0
                || request.getHeader("Transfer-Encoding") != null
                || (request.getContentLengthLong() < 0 && !request.getProtocol().startsWith("HTTP/1"));
    }

    /** @return {@code null} if it was refused */
    private @Nullable HttpServletRequest complete(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        if (request.getContentLengthLong() > MAX_BYTES) {
            refuse(request, response, 413, "the body is larger than " + MAX_BYTES + " bytes");
            return null;
        }
        long end = System.nanoTime() + timeout.toNanos();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        try {
            InputStream in = request.getInputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                body.write(buffer, 0, read);
                if (body.size() > MAX_BYTES) {
                    refuse(request, response, 413, "the body is larger than " + MAX_BYTES + " bytes");
                    return null;
                }
                if (System.nanoTime() - end > 0) {
                    refuse(request, response, 408, "the body was not complete after " + timeout.toSeconds() + " s");
                    return null;
                }
            }
        } catch (IOException e) { // nothing arrived for a while, or the client is gone
            refuse(request, response, 408, "the body is not complete");
            return null;
        }
        try {
            return body.size() == 0 ? request : new CompleteRequest(request, body.toByteArray());
        } catch (IllegalArgumentException e) {
            SecurityConfiguration.refuse(response, 400, "the form in the body is not valid");
            return null;
        }
    }

    private synchronized boolean begin(String address) {
        if (total >= MAX_INCOMPLETE || incomplete.getOrDefault(address, 0) >= MAX_INCOMPLETE_OF_AN_ADDRESS) {
            return false;
        }
        total++;
        incomplete.merge(address, 1, Integer::sum);
        return true;
    }

    private synchronized void end(String address) {
        total--;
        incomplete.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }

    private static void refuse(HttpServletRequest request, HttpServletResponse response, int status, String error)
            throws IOException {
        response.setHeader("Connection", "close");
        SecurityConfiguration.refuse(response, status, error);
        response.flushBuffer(); // what was not sent yet, Tomcat would replace by its error page
        if (request.getAttribute(UNREAD) instanceof Runnable leave) {
            leave.run();
        }
    }

    /** After a response, Tomcat reads what is left of the body, and waits for it. This lets a filter prevent that. */
    static Valve leaveUnread() {
        return new ValveBase(true) {
            @Override
            public void invoke(Request request, Response response) throws IOException, ServletException {
                Runnable leave = () -> request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
                request.setAttribute(UNREAD, leave);
                getNext().invoke(request, response);
            }
        };
    }
}
