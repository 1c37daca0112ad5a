package outbox.control.server;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** Every visitor gets a session for the CSRF token of the login form; it is short until the user logs in. */
@Component
class Sessions implements HttpSessionListener {
    private static final Duration OF_NOBODY = Duration.ofMinutes(10);

    @Override
    public void sessionCreated(HttpSessionEvent event) {
        event.getSession().setMaxInactiveInterval((int) OF_NOBODY.toSeconds());
    }

    /** Applies {@code server.servlet.session.timeout}. */
    static void stay(HttpServletRequest request) {
        request.getSession().setMaxInactiveInterval((int)
                Duration.ofMinutes(request.getServletContext().getSessionTimeout())
                        .toSeconds());
    }
}
