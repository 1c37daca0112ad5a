package outbox.control.remote;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.JsonCodec;
import outbox.util.Loop;

/**
 * Announces an application to a control center server, once, from a thread of its own. A server that is away or refuses is
 * asked again at growing intervals, up to five minutes; the application does not depend on it. Thread-safe.
 *
 * <pre>{@code
 * Announcement announcement = Announcement.of("https://outbox.example.com/outbox", serverToken, application).start();
 * }</pre>
 */
public final class Announcement implements AutoCloseable {
    private static final Logger LOG = System.getLogger(Announcement.class.getName());
    private static final Duration FIRST_RETRY = Duration.ofSeconds(2);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(15);
    private static final Set<String> LOCAL = Set.of("localhost", "127.0.0.1", "[::1]");
    private static final int MAX_ANSWER = 300;

    private final RemoteApplication server;
    private final RemoteApplication application;
    private final HttpClient http;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final FailureLog failures;
    private final Loop loop;
    private Duration pause; // only used by the loop

    private Announcement(RemoteApplication server, RemoteApplication application, Duration firstRetry) {
        this.server = server;
        this.application = application;
        this.pause = firstRetry;
        this.http = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .build();
        this.failures = new FailureLog(LOG, Level.WARNING, "announcing " + application.name());
        this.loop = new Loop(
                "announcement of " + application.name(), new DaemonThreadFactory("outbox-announcement-"), this::turn);
    }

    /**
     * @param server URL of the server's page
     * @param token an API token of the server, with the role admin for the application's name
     * @param application as the server is to reach it
     * @throws IllegalArgumentException if the URL or the token is not valid
     */
    public static Announcement of(String server, String token, RemoteApplication application) {
        return of(server, token, application, FIRST_RETRY);
    }

    /** @param firstRetry time until the second attempt; later ones take longer */
    static Announcement of(String server, String token, RemoteApplication application, Duration firstRetry) {
        return new Announcement(RemoteApplication.of("server", server, token), application, firstRetry);
    }

    public Announcement start() {
        URI url = server.url();
        if ("http".equalsIgnoreCase(url.getScheme()) && !LOCAL.contains(url.getHost())) {
            LOG.log(
                    Level.WARNING,
                    "the control center server is reached without TLS: the tokens in the announcement can be read on the"
                            + " way; use https");
        }
        loop.start();
        return this;
    }

    private boolean turn() throws InterruptedException {
        try {
            send();
            failures.succeeded();
            LOG.log(
                    Level.INFO,
                    "announced this application as '" + application.name() + "' to the control center at "
                            + server.url() + ", to be reached at " + application.url());
            return false;
        } catch (IOException | RuntimeException e) {
            failures.failed(
                    "could not announce this application as '" + application.name() + "' to the control center at "
                            + server.url() + ": " + e.getMessage() + "; trying again in " + pause.toSeconds()
                            + " s, the application goes on",
                    e);
        }
        if (closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
            return false;
        }
        Duration longer = pause.multipliedBy(2);
        pause = longer.compareTo(LONGEST_RETRY) > 0 ? LONGEST_RETRY : longer;
        return true;
    }

    private void send() throws IOException, InterruptedException {
        String body = JsonCodec.getDefault()
                .toJson(Map.of(
                        "apiUrl", application.url().toString(),
                        "token", application.token(),
                        "application", application.nameThere()));
        HttpResponse<byte[]> answer = http.send(
                HttpRequest.newBuilder(server.api("/apps/" + application.name() + "/announcement"))
                        .PUT(HttpRequest.BodyPublishers.ofString(body))
                        .timeout(TIMEOUT)
                        .header("Authorization", "Bearer " + server.token())
                        .header("Content-Type", "application/json")
                        .header("X-Outbox-Request", "1")
                        .build(),
                info -> new LimitedBody());
        if (answer.statusCode() != 200) {
            String text = new String(answer.body(), StandardCharsets.UTF_8);
            throw new IOException("it answered " + answer.statusCode() + " "
                    + (text.length() > MAX_ANSWER ? text.substring(0, MAX_ANSWER) : text));
        }
    }

    /** Stops trying. What is announced stays. */
    @Override
    public void close() {
        closed.countDown();
        loop.interrupt();
    }
}
