package outbox.control.remote;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;

/**
 * One application over HTTP, with the latest metrics of it. They are polled in the background, so that pages about all
 * applications never wait for one of them. Thread-safe.
 */
public final class RemoteSource implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RemoteSource.class.getName());

    private final RemoteApplication application;
    private final RemoteClient client;
    private final Duration interval;
    private final Loop loop;
    private final FailureLog failures;
    private Snapshot latest = Snapshot.NONE; // guarded by this
    private @Nullable String away; // guarded by this
    private boolean closed; // guarded by this

    /**
     * What one poll found.
     *
     * @param rights of the token, as the API reports them for the application
     * @param line of the application, as in the list of applications
     */
    public record Snapshot(
            Map<String, @Nullable Object> rights,
            Map<String, @Nullable Object> line,
            List<Map<String, @Nullable Object>> nodes,
            List<Map<String, @Nullable Object>> handlers) {
        static final Snapshot NONE = new Snapshot(Map.of(), Map.of(), List.of(), List.of());

        /** {@code null} if there is none yet. */
        @SuppressWarnings("unchecked")
        public @Nullable Map<String, @Nullable Object> sample() {
            return line.get("sample") instanceof Map<?, ?> sample ? (Map<String, @Nullable Object>) sample : null;
        }

        /** When the sample was taken; {@code null} if there is none yet. */
        public @Nullable Instant sampledAt() {
            Map<String, @Nullable Object> sample = sample();
            try {
                return sample == null ? null : Instant.parse(String.valueOf(sample.get("at")));
            } catch (DateTimeParseException e) {
                return null;
            }
        }

        /** The application cannot read its own database; {@code null} if there is no problem. */
        @Nullable
        String problem() {
            return line.get("problem") instanceof String problem ? problem : null;
        }

        /** {@code unknown} before the first successful poll. */
        public String database() {
            return Objects.requireNonNullElse(line.get("database"), "unknown").toString();
        }

        public boolean isDeliveredFromLog() {
            return Boolean.TRUE.equals(line.get("deliveredFromLog"));
        }

        /** Whether the application has an XXL-Job admin. */
        public boolean hasJobs() {
            return Boolean.TRUE.equals(rights.get("jobs"));
        }

        /** Whether the token allows it; {@code true} while this is unknown, because the application decides anyway. */
        public boolean allows(String right) {
            return rights.isEmpty() || Boolean.TRUE.equals(rights.get(right));
        }
    }

    /** @param interval between two polls */
    public RemoteSource(RemoteApplication application, Duration interval) {
        this.application = Objects.requireNonNull(application, "application");
        this.client = new RemoteClient(application);
        this.interval = interval;
        this.failures = new FailureLog(LOG, Level.WARNING, "polling " + application);
        this.loop = new Loop("poll of " + application, new DaemonThreadFactory("outbox-control-remote-"), this::turn);
    }

    public RemoteSource start() {
        loop.start();
        return this;
    }

    public RemoteApplication application() {
        return application;
    }

    public synchronized Snapshot latest() {
        return latest;
    }

    /** Why there are no new metrics: the application is away or has a problem; {@code null} if all is well. */
    public synchronized @Nullable String problem() {
        return away == null ? latest.problem() : away;
    }

    /** Whether the application itself did not answer the last poll. */
    public synchronized boolean isAway() {
        return away != null;
    }

    /**
     * Sends the request of a user. Fails at once while the application is known to be away.
     *
     * @throws RemoteException if there is no usable answer
     */
    public RemoteCall.Answer send(RemoteCall call) throws RemoteException {
        synchronized (this) {
            if (away != null) {
                throw new RemoteException(503, away);
            }
        }
        try {
            return client.sendIfFree(call);
        } catch (RemoteException e) {
            throw new RemoteException(e.status(), explain(e), e);
        }
    }

    private String explain(RemoteException e) {
        return "the application '" + application.name() + "' cannot be reached over HTTP: " + e.getMessage();
    }

    private boolean turn() throws InterruptedException {
        try {
            Snapshot found = poll();
            failures.succeeded();
            publish(found, null);
        } catch (RemoteException | RuntimeException e) {
            if (isClosed()) {
                return false;
            }
            failures.failed("cannot reach " + application + "; retrying every " + interval.toMillis() + " ms", e);
            publish(
                    null,
                    e instanceof RemoteException failure
                            ? explain(failure)
                            : "the application '" + application.name() + "' gave an answer that cannot be understood");
        }
        return awaitNextPoll();
    }

    private Snapshot poll() throws RemoteException {
        Map<String, @Nullable Object> session = client.get("/session");
        if (session.get("operator") == null) {
            throw new RemoteException(502, "its API does not accept the token");
        }
        Map<String, @Nullable Object> rights = own(session);
        if (rights == null) {
            throw new RemoteException(
                    502,
                    "its control center has no application '" + application.nameThere()
                            + "' that the token may see, only "
                            + objects(session.get("applications")).stream()
                                    .map(one -> one.get("name"))
                                    .toList()
                            + "; set api-application to one of them");
        }
        Map<String, @Nullable Object> line = own(client.get("/apps"));
        String path = "/apps/" + application.nameThere();
        boolean sick = line != null && line.get("problem") != null; // its database would not answer
        return new Snapshot(
                rights,
                line == null ? Map.of() : line,
                sick ? List.of() : objects(client.get(path + "/nodes").get("nodes")),
                sick ? List.of() : objects(client.get(path + "/handlers").get("handlers")));
    }

    private @Nullable Map<String, @Nullable Object> own(Map<String, @Nullable Object> answer) {
        return objects(answer.get("applications")).stream()
                .filter(one -> application.nameThere().equals(one.get("name")))
                .findFirst()
                .orElse(null);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, @Nullable Object>> objects(@Nullable Object list) {
        return list instanceof List<?> items
                ? items.stream()
                        .filter(Map.class::isInstance)
                        .map(item -> (Map<String, @Nullable Object>) item)
                        .toList()
                : List.of();
    }

    private synchronized void publish(@Nullable Snapshot found, @Nullable String why) {
        if (found != null) {
            latest = found;
        }
        away = why;
        notifyAll();
    }

    private synchronized boolean awaitNextPoll() throws InterruptedException {
        long end = System.nanoTime() + interval.toNanos();
        for (long left = interval.toNanos(); !closed && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return !closed;
    }

    /**
     * Waits for a sample newer than {@code seen}, or for a {@link #problem} other than {@code known}.
     *
     * @return {@code null} if no sample arrived in time, there is a problem, or this was closed
     */
    public synchronized @Nullable Snapshot next(@Nullable Instant seen, @Nullable String known, Duration timeout)
            throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (!closed) {
            Instant at = latest.sampledAt();
            if (at != null && (seen == null || at.isAfter(seen))) {
                return latest;
            }
            long left = end - System.nanoTime();
            String problem = problem();
            if (left <= 0 || (problem != null && !problem.equals(known))) {
                return null;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return null;
    }

    public synchronized boolean isClosed() {
        return closed;
    }

    /** Does not wait for a pending poll, which ends within its timeout. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        loop.interrupt();
    }
}
