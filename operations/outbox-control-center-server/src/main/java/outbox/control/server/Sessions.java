package outbox.control.server;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** Everybody who opens the page gets a session, for the token of its form; only who logs in keeps it for long. */
@Component
class Sessions implements HttpSessionListener {
    private static final Duration OF_NOBODY = Duration.ofMinutes(10);

    @Override
    public void sessionCreated(HttpSessionEvent event) {
        event.getSession().setMaxInactiveInterval((int) OF_NOBODY.toSeconds());
    }

    /** As long as {@code server.servlet.session.timeout} says. */
    static void stay(HttpServletRequest request) {
        request.getSession().setMaxInactiveInterval((int)
                Duration.ofMinutes(request.getServletContext().getSessionTimeout())
                        .toSeconds());
    }
}
