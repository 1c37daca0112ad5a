package outbox.control.server;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.stereotype.Component;
import outbox.control.access.FirstAdmin;

/** Logs the URL of the page, and the setup token of the first admin. */
@Component
class Welcome implements ApplicationListener<WebServerInitializedEvent> {
    private static final Logger LOG = System.getLogger(Welcome.class.getName());

    private final FirstAdmin firstAdmin;

    Welcome(FirstAdmin firstAdmin) {
        this.firstAdmin = firstAdmin;
    }

    @Override
    public void onApplicationEvent(WebServerInitializedEvent event) {
        String url = "http://localhost:" + event.getWebServer().getPort() + CenterConfiguration.PREFIX + "/";
        String token = firstAdmin.token();
        LOG.log(
                Level.INFO,
                token == null
                        ? "The control center is at " + url
                        : "The control center is at " + url + "\n\n    It has no users yet. Open " + url
                                + "#/setup on this machine and use this one-time token:\n\n    " + token + "\n");
    }
}
