package outbox.control.act;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.control.audit.AuditLog;
import outbox.control.source.EventSummary;
import outbox.control.source.FilterText;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;
import outbox.util.Ulid;

/**
 * Processes open operations in turn, a few events at a time, on one thread. If several control centers share the
 * tables, one of them leases an operation at a time. Progress is stored after every few events, so that another control
 * center can continue when this one stops or dies. Events that were taken at that moment count as done if they are in
 * the desired state; the others are processed again.
 */
final class OperationRunner implements AutoCloseable {
    private static final Logger LOG = System.getLogger(OperationRunner.class.getName());
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final Duration END = Duration.ofSeconds(5);
    private static final Duration FORGET_EVERY = Duration.ofHours(1);
    private static final int MAX_FAILURES = 5;
    private static final int MAX_BATCH = 100;

    private final OperationStore store;
    private final Function<String, @Nullable OperationTarget> targets;
    private final AuditLog audit;
    private final Duration kept;
    private final String owner = Ulid.next();
    private final Map<String, Pace> paces = new HashMap<>(); // only used by this thread
    private final Loop loop;
    private boolean closed; // guarded by this
    private boolean woken; // guarded by this
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "reading the operations");
    private long forgetAt = System.nanoTime();

    OperationRunner(
            OperationStore store, Function<String, @Nullable OperationTarget> targets, AuditLog audit, Duration kept) {
        this.store = store;
        this.targets = targets;
        this.audit = audit;
        this.kept = kept;
        this.loop = new Loop("operations", new DaemonThreadFactory("outbox-control-operations-"), this::turn);
    }

    OperationRunner start() {
        loop.start();
        return this;
    }

    /** Wakes the thread up for new work. */
    synchronized void wake() {
        woken = true;
        notifyAll();
    }

    private boolean turn() throws InterruptedException {
        if (round()) {
            return true;
        }
        try {
            store.release(owner);
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "could not release operations; their lease expires in " + LEASE.toSeconds() + " s", e);
        }
        return false;
    }

    private boolean round() throws InterruptedException {
        boolean busy = false;
        try {
            List<Operation> open = store.open();
            paces.keySet().retainAll(open.stream().map(Operation::id).toList());
            for (Operation operation : open) {
                busy |= work(operation);
            }
            busy |= forget();
            failures.succeeded();
        } catch (SQLException | RuntimeException e) {
            failures.failed("could not read the operations; retrying every " + IDLE.toSeconds() + " s", e);
        }
        return pause(busy ? TICK : IDLE);
    }

    /** @return whether there is more to delete */
    private boolean forget() throws SQLException {
        if (System.nanoTime() - forgetAt < 0) {
            return false;
        }
        boolean more = store.forget(kept);
        if (!more) {
            forgetAt = System.nanoTime() + FORGET_EVERY.toNanos();
        }
        return more;
    }

    private synchronized boolean pause(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        long left = time.toNanos();
        while (!closed && !woken && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, left));
            left = end - System.nanoTime();
        }
        woken = false;
        return !closed;
    }

    /** @return whether this control center holds the operation */
    private boolean work(Operation operation) throws SQLException {
        OperationTarget target = targets.apply(operation.application());
        long until = System.nanoTime() + LEASE.toNanos() / 2;
        if (target == null || !store.hold(operation.id(), owner, LEASE)) {
            return false;
        }
        Pace pace = paces.computeIfAbsent(operation.id(), id -> new Pace());
        try {
            if (operation.state() == OperationState.COLLECTING) {
                collect(operation, target);
                pace.failures = 0;
            } else if (advance(operation, target, pace, until)) {
                pace.failures = 0;
            }
        } catch (SQLException | RuntimeException e) {
            pace.failures++;
            LOG.log(Level.WARNING, "operation " + operation.id() + " failed " + pace.failures + " times", e);
            if (pace.failures >= MAX_FAILURES) {
                end(operation, OperationState.FAILED, e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        }
        return true;
    }

    private void collect(Operation operation, OperationTarget target) throws SQLException {
        boolean collected = store.isCollected(operation.id());
        if (!collected) {
            OperationRequest request = new OperationRequest(
                    operation.action(),
                    FilterText.read(operation.filter(), operation.createdAt()),
                    List.of(),
                    operation.errorGroup(),
                    operation.handler());
            OperationTarget.Matches matches = target.matches(request, store.cursor(operation.id()));
            boolean full = operation.total() + matches.events().size() >= Operations.MAX_EVENTS;
            String next = full ? null : matches.next();
            collected = store.collected(operation.id(), owner, matches.events(), next) && next == null;
        }
        if (collected) {
            store.change(operation.id(), EnumSet.of(OperationState.COLLECTING), OperationState.RUNNING, null);
        }
    }

    /**
     * @param until end of the lease
     * @return whether its rate limit allowed any event
     */
    private boolean advance(Operation operation, OperationTarget target, Pace pace, long until) throws SQLException {
        int allowed = pace.allowed(operation.perSecond());
        if (allowed == 0) {
            return false;
        }
        Optional<OperationStore.Taken> taken = store.take(operation.id(), owner, allowed);
        if (taken.isPresent()) {
            pace.spend(taken.get().events().size());
            perform(operation, target, taken.get(), until);
        }
        return true;
    }

    private void perform(Operation operation, OperationTarget target, OperationStore.Taken taken, long until)
            throws SQLException {
        if (taken.events().isEmpty()) {
            end(operation, OperationState.DONE, null);
            return;
        }
        if (operation.action() == EventAction.REDELIVER) {
            redeliver(operation, target, taken, until);
            return;
        }
        Set<String> found = taken.again() ? done(operation.action(), target, taken.events()) : Set.of();
        OperationStore.Results results = new OperationStore.Results();
        List<String> refused = new ArrayList<>();
        try {
            for (String id : taken.events()) {
                if (found.contains(id)) {
                    results.found().add(id);
                } else if (System.nanoTime() - until < 0) {
                    boolean done = EventActions.perform(target.application(), operation.action(), id);
                    (done ? results.done() : refused).add(id);
                }
            }
        } finally {
            refused.forEach(id -> results.refused().put(id, "it was in another state"));
            explain(target, refused, results);
            store.settled(operation.id(), owner, results);
        }
    }

    private void redeliver(Operation operation, OperationTarget target, OperationStore.Taken taken, long until)
            throws SQLException {
        Redeliveries redeliveries = Redeliveries.of(target, operation);
        OperationStore.Results results = new OperationStore.Results();
        try {
            for (Map.Entry<String, Instant> event : taken.times().entrySet()) {
                if (System.nanoTime() - until < 0) {
                    redeliveries.write(event.getKey(), event.getValue()).addTo(results, event.getKey());
                }
            }
        } finally {
            store.settled(operation.id(), owner, results);
        }
    }

    /** Replaces the reasons of refused events by the states they are in now. The results are stored even without them. */
    private static void explain(OperationTarget target, List<String> refused, OperationStore.Results results) {
        if (refused.isEmpty()) {
            return;
        }
        try {
            Map<String, EventSummary> now = byId(target, refused);
            refused.forEach(id -> results.refused().put(id, EventActions.refusal(target.application(), now.get(id))));
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "cannot read why events were refused", e);
        }
    }

    private static Map<String, EventSummary> byId(OperationTarget target, List<String> ids) throws SQLException {
        return target.reader().events(ids).stream().collect(Collectors.toMap(EventSummary::id, Function.identity()));
    }

    /** The events that are already in the desired state. */
    private static Set<String> done(EventAction action, OperationTarget target, List<String> ids) throws SQLException {
        Map<String, EventSummary> now = byId(target, ids);
        return ids.stream().filter(id -> action.isDone(now.get(id))).collect(Collectors.toSet());
    }

    private void end(Operation operation, OperationState state, @Nullable String problem) throws SQLException {
        if (!store.change(operation.id(), EnumSet.of(operation.state()), state, problem)) {
            return;
        }
        Operation ended = Objects.requireNonNullElse(store.find(operation.application(), operation.id()), operation);
        audit.add(new AuditLog.Note(
                operation.actor(),
                null,
                "operation.end",
                operation.application(),
                operation.id(),
                state == OperationState.DONE ? "ok" : "failed",
                operation.action().verb() + ": " + ended.succeeded() + " done, " + ended.refused() + " refused"
                        + (problem == null ? "" : "; " + problem)));
    }

    /** Waits briefly for the events in progress. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            loop.awaitEnd(END.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Limits the number of events per second. */
    private static final class Pace {
        private double saved;
        private long since = System.nanoTime();
        private int failures;

        int allowed(int perSecond) {
            long now = System.nanoTime();
            saved = Math.min(perSecond, saved + perSecond * ((now - since) / 1e9));
            since = now;
            return (int) Math.min(MAX_BATCH, Math.floor(saved));
        }

        void spend(int count) {
            saved -= count;
        }
    }
}
