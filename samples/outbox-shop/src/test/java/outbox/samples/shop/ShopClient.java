package outbox.samples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The shop as its page sees it. */
final class ShopClient {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final HttpClient http = HttpClient.newHttpClient();
    private final JsonMapper json = JsonMapper.shared();
    private final String base;

    ShopClient(int port) {
        this.base = "http://localhost:" + port;
    }

    HttpResponse<String> send(String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/json");
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> order(String key, String card, String email) throws IOException, InterruptedException {
        return send("POST", "/api/orders", orderBody(card, email), "Idempotency-Key", key);
    }

    static String orderBody(String card, String email) {
        return """
                {"item": "lamp", "cents": 1999, "card": "%s", "email": "%s"}""".formatted(card, email);
    }

    /** @return its id */
    String place(String card, String email) throws IOException, InterruptedException {
        HttpResponse<String> placed = order(UUID.randomUUID().toString(), card, email);
        assertThat(placed.statusCode()).as(placed.body()).isEqualTo(201);
        return json.readTree(placed.body()).get("orderId").asString();
    }

    /** The first line of the answer to a request with exactly these headers; a client would not send a Host of its own. */
    String statusLine(String path, String... headers) throws IOException {
        try (Socket socket = get(path, headers)) {
            return lines(socket).readLine();
        }
    }

    /** As a browser that is closed: the connection is cut while the server still sends. */
    void closeAfterTheFirstFigures(String path) throws IOException {
        try (Socket socket = get(path, "Host: localhost")) {
            BufferedReader lines = lines(socket);
            String line = lines.readLine();
            StringBuilder head = new StringBuilder();
            while (!line.startsWith("data:")) { // headers, and the retry time of the stream
                head.append(line).append('\n');
                line = lines.readLine();
                if (line == null) {
                    throw new IOException("the stream ended before its first figures:\n" + head);
                }
            }
            socket.setSoLinger(true, 0);
        }
    }

    private Socket get(String path, String... headers) throws IOException {
        URI server = URI.create(base);
        Socket socket = new Socket(server.getHost(), server.getPort());
        String request =
                "GET " + path + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\nConnection: close\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static BufferedReader lines(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    JsonNode board() throws IOException, InterruptedException {
        return json.readTree(send("GET", "/api/board", "").body());
    }

    JsonNode parse(String text) {
        return json.readTree(text);
    }

    /** Waits until the line of an order is as the check wants it. */
    void awaitOrder(String orderId, Consumer<JsonNode> check) {
        await().atMost(PATIENCE).untilAsserted(() -> check.accept(line(orderId)));
    }

    JsonNode line(String orderId) throws IOException, InterruptedException {
        for (JsonNode line : board().get("orders")) {
            if (line.at("/order/id").asString().equals(orderId)) {
                return line;
            }
        }
        throw new AssertionError("no order " + orderId + " on the board");
    }

    void bank(boolean out) throws IOException, InterruptedException {
        assertThat(send("PUT", "/api/bank", "{\"out\": " + out + "}").statusCode())
                .isEqualTo(200);
    }

    void replay(String eventId) throws IOException, InterruptedException {
        HttpResponse<String> answer = send("POST", "/api/dead/" + eventId + "/replay", "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    /** An open page: what the server sends to it, line by line. */
    HttpResponse<java.util.stream.Stream<String>> openPage() throws IOException, InterruptedException {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(base + "/api/board/live")).build();
        return http.send(request, HttpResponse.BodyHandlers.ofLines());
    }
}
