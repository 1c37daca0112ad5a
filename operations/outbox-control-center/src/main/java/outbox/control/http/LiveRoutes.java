package outbox.control.http;

import jakarta.servlet.ServletOutputStream;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.live.Sample;
import outbox.control.live.Sampler;
import outbox.control.remote.RemoteSource;
import outbox.util.DaemonThreadFactory;

/** Metrics of applications: recent samples and live updates. */
final class LiveRoutes {
    private static final int MAX_STREAMS = 100;
    /** One for each open tab; hidden tabs have none. */
    private static final int MAX_STREAMS_OF_A_USER = 10;

    private static final Duration STREAM_LIFE = Duration.ofMinutes(10);
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final ControlCenter center;
    private final Semaphore streams = new Semaphore(MAX_STREAMS);
    private final Map<String, Integer> streamsByUser = new ConcurrentHashMap<>();
    private final ThreadFactory threads = new DaemonThreadFactory("outbox-control-stream-");

    LiveRoutes(ControlCenter center) {
        this.center = center;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/apps/{app}/overview", Permission.VIEW, "Metrics of the last minutes", this::overview),
                Route.of(
                        "GET",
                        "/apps/{app}/stream",
                        Permission.VIEW,
                        "Live metrics and problems as server-sent events",
                        this::stream));
    }

    private void overview(Exchange exchange) throws IOException, SQLException {
        ControlCenter.Source source = Sources.of(center, exchange);
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("application", source.application().name());
        body.put("database", source.application().flavor().database());
        body.put("table", source.application().table());
        body.put("deliveredFromLog", source.application().isDeliveredFromLog());
        body.put("problem", source.sampler().problem());
        body.put("samples", source.sampler().samples());
        exchange.json(200, body);
    }

    /** One thread per connected browser, so that a slow reader does not delay others. */
    private void stream(Exchange exchange) throws IOException {
        RemoteSource remote = center.remote(exchange.path("app"));
        LiveFeed feed =
                remote == null ? new OfSampler(Sources.of(center, exchange).sampler()) : new OfRemote(remote);
        if (!exchange.request().isAsyncSupported()) {
            throw new ApiException(
                    501,
                    "live updates need asynchronous requests: enable async-supported for this servlet and every filter in"
                            + " front of it");
        }
        acquire(exchange.operator().name());
        boolean started = false;
        try {
            startStream(exchange, feed);
            started = true;
        } finally {
            if (!started) { // otherwise the thread releases the permit
                release(exchange.operator().name());
            }
        }
    }

    private void acquire(String user) {
        if (streamsByUser.merge(user, 1, Integer::sum) > MAX_STREAMS_OF_A_USER) {
            forget(user);
            throw new ApiException(
                    429, "you already have " + MAX_STREAMS_OF_A_USER + " live pages open; close one of them");
        }
        if (!streams.tryAcquire()) {
            forget(user);
            throw new ApiException(503, "there are already " + MAX_STREAMS + " live pages; try again later");
        }
    }

    private void release(String user) {
        streams.release();
        forget(user);
    }

    private void forget(String user) {
        streamsByUser.computeIfPresent(user, (same, count) -> count == 1 ? null : count - 1);
    }

    private void startStream(Exchange exchange, LiveFeed feed) throws IOException {
        exchange.response().setContentType("text/event-stream");
        exchange.response().setCharacterEncoding("UTF-8");
        exchange.response().setHeader("X-Accel-Buffering", "no");
        ServletOutputStream out = exchange.response().getOutputStream();
        EventStream stream = new EventStream(exchange.request().startAsync(), out);
        String user = exchange.operator().name();
        threads.newThread(() -> {
                    try {
                        send(stream, feed);
                    } catch (IOException e) {
                        // the page was closed
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        release(user);
                        stream.close();
                    }
                })
                .start();
    }

    /** Ends after a while, so that the browser reconnects and its permissions are checked again. */
    private static void send(EventStream stream, LiveFeed feed) throws IOException, InterruptedException {
        long end = System.nanoTime() + STREAM_LIFE.toNanos();
        Instant seen = null;
        String known = null;
        stream.send("retry: 3000\n\n");
        while (!feed.isClosed() && System.nanoTime() < end) {
            LiveFeed.Latest latest = feed.next(seen, known, HEARTBEAT);
            String problem = feed.problem();
            if (latest != null) {
                seen = latest.at();
                known = null;
                stream.send("sample", latest.sample());
            } else if (problem != null && !problem.equals(known)) {
                known = problem;
                stream.send("problem", Map.of("problem", problem));
            } else {
                stream.send(": nothing new\n\n");
            }
        }
    }

    private record OfSampler(Sampler sampler) implements LiveFeed {
        @Override
        public @Nullable Latest next(@Nullable Instant seen, @Nullable String known, Duration timeout)
                throws InterruptedException {
            Sample sample = sampler.next(seen, known, timeout);
            return sample == null ? null : new Latest(sample.at(), sample);
        }

        @Override
        public @Nullable String problem() {
            return sampler.problem();
        }

        @Override
        public boolean isClosed() {
            return sampler.isClosed();
        }
    }

    /** All browsers share the polls of the application. */
    private record OfRemote(RemoteSource remote) implements LiveFeed {
        @Override
        public @Nullable Latest next(@Nullable Instant seen, @Nullable String known, Duration timeout)
                throws InterruptedException {
            RemoteSource.Snapshot latest = remote.next(seen, known, timeout);
            Instant at = latest == null ? null : latest.sampledAt();
            Object sample = latest == null ? null : latest.sample();
            return at == null || sample == null ? null : new Latest(at, sample);
        }

        @Override
        public @Nullable String problem() {
            return remote.problem();
        }

        @Override
        public boolean isClosed() {
            return remote.isClosed();
        }
    }
}
