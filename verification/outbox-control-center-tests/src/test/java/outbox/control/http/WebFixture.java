package outbox.control.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;
import outbox.control.access.Operator;

/** The servlet in a real Tomcat; a header says who asks, as a host's security would. */
final class WebFixture implements AutoCloseable {
    static final String WHO = "X-Test-Who";

    private final Tomcat tomcat = new Tomcat();
    private final HttpClient client = HttpClient.newHttpClient();

    WebFixture(ControlCenterServlet servlet, Path directory) throws LifecycleException {
        this(servlet, directory, true);
    }

    /** @param async whether the container lets requests go on after their thread has returned */
    WebFixture(ControlCenterServlet servlet, Path directory, boolean async) throws LifecycleException {
        this(servlet, directory, async, 0);
    }

    /** @param port 0 for any that is free */
    WebFixture(ControlCenterServlet servlet, Path directory, boolean async, int port) throws LifecycleException {
        tomcat.setBaseDir(directory.toString());
        tomcat.setPort(port);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        Context context = tomcat.addContext("", directory.toString());
        Tomcat.addServlet(context, "center", servlet).setAsyncSupported(async);
        context.addServletMappingDecoded("/outbox/*", "center");
        tomcat.start();
    }

    static OperatorSource operators(Map<String, Operator> known) {
        return request -> {
            String who = request.getHeader(WHO);
            return who == null ? null : known.get(who);
        };
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/outbox" + path);
    }

    HttpResponse<String> send(
            String method, String path, @Nullable String who, @Nullable String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path))
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        if (who != null) {
            request.header(WHO, who);
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpClient client() {
        return client;
    }

    @Override
    public void close() throws Exception {
        tomcat.stop();
        tomcat.destroy();
    }
}
