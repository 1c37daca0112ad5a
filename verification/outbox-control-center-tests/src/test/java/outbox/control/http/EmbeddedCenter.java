package outbox.control.http;

import java.nio.file.Path;
import org.apache.catalina.LifecycleException;
import outbox.control.ControlCenter;
import outbox.control.access.Operator;
import outbox.control.remote.RemoteApplication;

/** A control center as it is embedded in an application: a token opens its API, nothing else does. */
final class EmbeddedCenter implements AutoCloseable {
    static final String TOKEN = "a-token-of-thirty-two-characters-or-more";

    private final WebFixture web;

    EmbeddedCenter(ControlCenter center, Operator token, Path directory) throws LifecycleException {
        this(center, token, directory, 0);
    }

    /** @param port 0 for any that is free */
    EmbeddedCenter(ControlCenter center, Operator token, Path directory, int port) throws LifecycleException {
        web = new WebFixture(
                new ControlCenterServlet(
                        center,
                        request -> ("Bearer " + TOKEN).equals(request.getHeader("Authorization")) ? token : null),
                directory,
                true,
                port);
    }

    WebFixture web() {
        return web;
    }

    /** Named {@code orders} there too. */
    RemoteApplication overHttp() {
        return RemoteApplication.of("orders", web.uri("").toString(), TOKEN);
    }

    @Override
    public void close() throws Exception {
        web.close();
    }
}
