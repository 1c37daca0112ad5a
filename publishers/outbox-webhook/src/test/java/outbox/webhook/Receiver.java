package outbox.webhook;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A real HTTP server on the loopback interface that keeps what it received and answers as told. */
final class Receiver implements AutoCloseable {
    /** What came, with the body as bytes. */
    record Received(String method, URI uri, Headers headers, byte[] body) {
        String header(String name) {
            return headers.getFirst(name);
        }
    }

    @FunctionalInterface
    interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    private final HttpServer server;
    private final boolean tls;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private volatile Answer answer = status(204);

    private Receiver(String address, int port, boolean tls) {
        this.tls = tls;
        try {
            InetSocketAddress at = new InetSocketAddress(InetAddress.getByName(address), port);
            this.server = tls ? HttpsServer.create(at, 512) : HttpServer.create(at, 512);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (server instanceof HttpsServer https) {
            https.setHttpsConfigurator(new HttpsConfigurator(TestCertificate.sslContext()));
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    static Receiver plain() {
        return new Receiver("127.0.0.1", 0, false);
    }

    static Receiver plainOn(String address) {
        return new Receiver(address, 0, false);
    }

    static Receiver tls() {
        return new Receiver("127.0.0.1", 0, true);
    }

    static Receiver tlsOn(String address, int port) {
        return new Receiver(address, port, true);
    }

    static Answer status(int code, String... header) {
        return exchange -> {
            if (header.length == 2) {
                exchange.getResponseHeaders().add(header[0], header[1]);
            }
            exchange.sendResponseHeaders(code, -1);
        };
    }

    Receiver answering(Answer answer) {
        this.answer = answer;
        return this;
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = exchange.getRequestBody().readAllBytes();
            received.add(new Received(
                    exchange.getRequestMethod(), exchange.getRequestURI(), exchange.getRequestHeaders(), body));
            answer.to(exchange);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** By name, so that everything about names is part of the test. */
    URI url() {
        return URI.create((tls ? "https" : "http") + "://hooks.test:" + port() + "/in?key=abc");
    }

    List<Received> received() {
        return received;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
