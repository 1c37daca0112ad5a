package outbox.control.remote;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.crypto.SecretKey;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;

/**
 * The applications over HTTP: those of the configuration, and those that announced themselves, which are stored and
 * survive restarts. Control centers on one database learn of each other's announcements within seconds. Thread-safe.
 */
public final class RemoteSources implements AutoCloseable {
    private static final Logger LOG = System.getLogger(RemoteSources.class.getName());
    private static final Duration LOOK_EVERY = Duration.ofSeconds(10);

    private final Map<String, RemoteSource> configured = new LinkedHashMap<>();
    private final Set<String> direct;
    private final Duration interval;
    private final AllowedUrls allowed;
    private final @Nullable AnnouncementStore store;
    private final @Nullable Loop loop;
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "reading announced applications");
    private Map<String, AnnouncementStore.Row> rows = Map.of(); // guarded by this
    private volatile Map<String, RemoteSource> announced = Map.of(); // replaced under this
    private boolean closed; // guarded by this

    /**
     * @param direct names of the applications that are reached by their database
     * @param interval between two polls of an application
     * @param key encrypts the tokens of announced applications
     */
    public RemoteSources(
            Set<String> direct,
            Collection<RemoteApplication> configured,
            Duration interval,
            AllowedUrls allowed,
            DataSource dataSource,
            SecretKey key) {
        this.direct = Set.copyOf(direct);
        this.interval = interval;
        this.allowed = allowed;
        configured.forEach(one -> this.configured.put(one.name(), new RemoteSource(one, interval).start()));
        this.store = allowed.isEmpty() ? null : new AnnouncementStore(dataSource, key);
        this.loop = store == null
                ? null
                : new Loop("announced applications", new DaemonThreadFactory("outbox-control-announced-"), this::turn);
    }

    /** Reads what was announced before, and looks for news from then on. */
    public RemoteSources start() {
        if (loop != null) {
            look();
            loop.start();
        }
        return this;
    }

    /** Whether applications may announce themselves. */
    public boolean takesAnnouncements() {
        return store != null;
    }

    public Collection<RemoteSource> all() {
        List<RemoteSource> all = new ArrayList<>(configured.values());
        all.addAll(announced.values());
        return all;
    }

    /** @return {@code null} if there is no such application, or it is not reached over HTTP */
    public @Nullable RemoteSource of(String name) {
        RemoteSource source = configured.get(name);
        return source == null ? announced.get(name) : source;
    }

    public boolean isAnnounced(String name) {
        return announced.containsKey(name);
    }

    /** Whether an application of this name is in the configuration, so that none can be announced. */
    public boolean isConfigured(String name) {
        return direct.contains(name) || configured.containsKey(name);
    }

    /**
     * Adds an application, or replaces what it announced before.
     *
     * @throws IllegalArgumentException if its URL is not allowed, or there are too many
     */
    public void announce(RemoteApplication application, String actor) throws SQLException {
        AnnouncementStore known = Objects.requireNonNull(store, "announcements are not allowed");
        if (!allowed.contains(application.url())) {
            throw new IllegalArgumentException("the control center may not connect to " + application.url()
                    + "; its setting outbox.control-center.announcements.allowed-urls does not contain it");
        }
        synchronized (this) {
            Map<String, AnnouncementStore.Row> before = known.rows();
            if (!before.containsKey(application.name()) && before.size() >= AnnouncementStore.MOST) {
                throw new IllegalArgumentException(
                        AnnouncementStore.MOST + " applications are already announced; remove one of them first");
            }
            known.put(application, actor);
            follow(known);
        }
    }

    /** @return whether it was announced */
    public boolean forget(String name) throws SQLException {
        AnnouncementStore known = Objects.requireNonNull(store, "announcements are not allowed");
        synchronized (this) {
            boolean removed = known.remove(name);
            follow(known);
            return removed;
        }
    }

    private boolean turn() throws InterruptedException {
        synchronized (this) {
            long end = System.nanoTime() + LOOK_EVERY.toNanos();
            for (long left = LOOK_EVERY.toNanos(); !closed && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            if (closed) {
                return false;
            }
        }
        look();
        return true;
    }

    private void look() {
        try {
            synchronized (this) {
                follow(Objects.requireNonNull(store));
            }
            failures.succeeded();
        } catch (SQLException | RuntimeException e) {
            failures.failed(
                    "cannot read the announced applications; those that are known stay, retrying every "
                            + LOOK_EVERY.toSeconds() + " s",
                    e);
        }
    }

    /** Starts, replaces and ends sources, so that they are those of the table. */
    private synchronized void follow(AnnouncementStore known) throws SQLException {
        Map<String, AnnouncementStore.Row> now = known.rows();
        if (closed || now.equals(rows)) {
            return;
        }
        Map<String, RemoteSource> next = new LinkedHashMap<>();
        now.forEach((name, row) -> {
            RemoteSource before = announced.get(name);
            if (before != null && row.equals(rows.get(name))) {
                next.put(name, before);
            } else {
                opened(known, row, next);
            }
        });
        List<RemoteSource> gone = announced.entrySet().stream()
                .filter(one -> next.get(one.getKey()) != one.getValue())
                .map(Map.Entry::getValue)
                .toList();
        rows = now;
        announced = Map.copyOf(next);
        gone.forEach(RemoteSource::close);
    }

    /** What is stored is checked again: the configuration may have changed since. */
    private void opened(AnnouncementStore known, AnnouncementStore.Row row, Map<String, RemoteSource> next) {
        try {
            RemoteApplication application = known.application(row);
            if (isConfigured(row.name())) {
                LOG.log(Level.WARNING, "'" + row.name() + "' is configured; its announcement is not used");
            } else if (!allowed.contains(application.url())) {
                LOG.log(
                        Level.WARNING,
                        "the announced application '" + row.name() + "' is not shown: allowed-urls no longer contains "
                                + application.url());
            } else {
                next.put(row.name(), new RemoteSource(application, interval).start());
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            LOG.log(Level.WARNING, "the announced application '" + row.name() + "' is not shown: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        all().forEach(RemoteSource::close);
    }
}
