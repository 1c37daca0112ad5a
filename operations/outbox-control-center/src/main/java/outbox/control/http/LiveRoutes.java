package outbox.control.http;

import jakarta.servlet.ServletOutputStream;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.live.Sample;
import outbox.control.live.Sampler;
import outbox.util.DaemonThreadFactory;

/** How applications are doing: now, over the last minutes, and as it goes on. */
final class LiveRoutes {
    private static final int MAX_STREAMS = 100;
    private static final Duration STREAM_LIFE = Duration.ofMinutes(10);
    private static final Duration HEARTBEAT = Duration.ofSeconds(15);

    private final ControlCenter center;
    private final Semaphore streams = new Semaphore(MAX_STREAMS);
    private final ThreadFactory threads = new DaemonThreadFactory("outbox-control-stream-");

    LiveRoutes(ControlCenter center) {
        this.center = center;
    }

    List<Route> routes() {
        return List.of(
                Route.of("GET", "/apps/{app}/overview", Permission.VIEW, "Figures of the last minutes", this::overview),
                Route.of(
                        "GET",
                        "/apps/{app}/stream",
                        Permission.VIEW,
                        "New figures as server-sent events, and why there are none",
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

    /** A thread of its own for each browser that looks: one that reads slowly delays nobody else. */
    private void stream(Exchange exchange) throws IOException {
        Sampler sampler = Sources.of(center, exchange).sampler();
        if (!exchange.request().isAsyncSupported()) {
            throw new ApiException(
                    501,
                    "live updates need asynchronous requests: switch them on for this servlet and for every filter in"
                            + " front of it (async-supported)");
        }
        if (!streams.tryAcquire()) {
            throw new ApiException(503, "more than " + MAX_STREAMS + " pages are watching already; try again later");
        }
        boolean started = false;
        try {
            startStream(exchange, sampler);
            started = true;
        } finally {
            if (!started) { // by then its thread gives the permit back
                streams.release();
            }
        }
    }

    private void startStream(Exchange exchange, Sampler sampler) throws IOException {
        exchange.response().setContentType("text/event-stream");
        exchange.response().setCharacterEncoding("UTF-8");
        exchange.response().setHeader("X-Accel-Buffering", "no");
        ServletOutputStream out = exchange.response().getOutputStream();
        EventStream stream = new EventStream(exchange.request().startAsync(), out);
        threads.newThread(() -> {
                    try {
                        send(stream, sampler);
                    } catch (IOException e) {
                        // the page was closed
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        streams.release();
                        stream.close();
                    }
                })
                .start();
    }

    /** Ends by itself after a while: the browser comes again, and its rights are looked at again. */
    private static void send(EventStream stream, Sampler sampler) throws IOException, InterruptedException {
        long end = System.nanoTime() + STREAM_LIFE.toNanos();
        Instant seen = null;
        String told = null;
        stream.send("retry: 3000\n\n");
        while (!sampler.isClosed() && System.nanoTime() < end) {
            Sample sample = sampler.next(seen, told, HEARTBEAT);
            String problem = sampler.problem();
            if (sample != null) {
                seen = sample.at();
                told = null;
                stream.send("sample", sample);
            } else if (problem != null && !problem.equals(told)) {
                told = problem;
                stream.send("problem", Map.of("problem", problem));
            } else {
                stream.send(": nothing new\n\n");
            }
        }
    }
}
