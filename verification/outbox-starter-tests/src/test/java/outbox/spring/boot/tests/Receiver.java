package outbox.spring.boot.tests;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import outbox.webhook.WebhookSecret;
import outbox.webhook.WebhookVerificationException;
import outbox.webhook.WebhookVerifier;

/** A receiver of webhooks on loopback that checks signatures and answers as it is told; 204 when it is told nothing. */
final class Receiver implements AutoCloseable {
    final List<String> eventIds = new CopyOnWriteArrayList<>();
    final List<String> traces = new CopyOnWriteArrayList<>();
    private final Queue<Integer> answers = new ArrayDeque<>();
    private final WebhookVerifier verifier;
    private final HttpServer server;

    Receiver(WebhookSecret secret, Integer... answers) {
        this.verifier = WebhookVerifier.of(secret);
        this.answers.addAll(List.of(answers));
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", this::receive);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/hooks";
    }

    private synchronized void receive(HttpExchange exchange) throws IOException {
        int status;
        try {
            byte[] body = exchange.getRequestBody().readAllBytes();
            eventIds.add(verifier.verify(exchange.getRequestHeaders()::getFirst, body));
            traces.add(String.valueOf(exchange.getRequestHeaders().getFirst("traceparent")));
            Integer told = answers.poll();
            status = told == null ? 204 : told;
        } catch (WebhookVerificationException e) {
            status = 401;
        }
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
