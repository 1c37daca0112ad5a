package outbox.control.alert;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A chat service on this machine. */
public final class Receiver implements AutoCloseable {
    private final HttpServer server;
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    public Receiver() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/services/hidden-part";
    }

    /** What came since the last call. */
    public List<String> taken() {
        List<String> copy = List.copyOf(bodies);
        bodies.clear();
        return copy;
    }

    public void answer(int answer) {
        this.status = answer;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
