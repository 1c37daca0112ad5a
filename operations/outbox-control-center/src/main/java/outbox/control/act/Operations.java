package outbox.control.act;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.control.audit.AuditLog;
import outbox.control.source.EventCount;
import outbox.control.source.EventState;
import outbox.control.source.EventSummary;
import outbox.control.source.FilterText;
import outbox.util.Ulid;

/**
 * Bulk operations with preview, rate limit, pause, cancel, and a result for each event. They are stored in tables and
 * continue after a restart. Thread-safe.
 */
public final class Operations implements AutoCloseable {
    /** Maximum number of events of one operation; further events need another one. */
    public static final int MAX_EVENTS = 100_000;

    /** Retention of completed operations. */
    public static final Duration DEFAULT_KEPT = Duration.ofDays(90);

    /** Maximum page size for operations and results. */
    public static final int MAX_PAGE = 200;

    public static final int MAX_PER_SECOND = 1_000;
    public static final int DEFAULT_PER_SECOND = 50;
    private static final int SAMPLE = 10;
    private static final int MAX_FILTER = 2000;
    private static final Duration DRY_RUN_TIME = Duration.ofMillis(100);

    private final OperationStore store;
    private final Function<String, @Nullable OperationTarget> targets;
    private final OperationRunner runner;

    /** Number of events that {@link #aftermath} reads. */
    private static final int AFTERMATH_EVENTS = 2_000;

    /** @param kept retention of completed operations and their results */
    public Operations(
            DataSource dataSource, Function<String, @Nullable OperationTarget> targets, AuditLog audit, Duration kept) {
        this.store = new OperationStore(dataSource);
        this.targets = targets;
        this.runner = new OperationRunner(store, targets, audit, kept);
    }

    /** Continues open operations. */
    public Operations start() {
        runner.start();
        return this;
    }

    /**
     * Preview of an operation.
     *
     * @param more whether there are more events than were counted
     * @param sample the first events
     */
    public record DryRun(int count, boolean more, List<EventSummary> sample) {}

    public DryRun dryRun(String application, OperationRequest request) throws SQLException {
        OperationTarget target = target(application);
        Redeliveries.check(target, request);
        if (!request.ids().isEmpty()) {
            List<EventSummary> picked = target.matches(request, null).events();
            return new DryRun(
                    picked.size(), false, picked.stream().limit(SAMPLE).toList());
        }
        EventCount count = target.count(request, SAMPLE, System.nanoTime() + DRY_RUN_TIME.toNanos());
        return new DryRun(count.events(), count.more(), target.reader().events(count.first()));
    }

    /** @throws IllegalArgumentException if the reason is missing or the rate is invalid */
    public Operation start(String application, OperationRequest request, String reason, String actor, int perSecond)
            throws SQLException {
        if (reason.isBlank() || reason.length() > 500) {
            throw new IllegalArgumentException("an operation needs a reason of at most 500 characters");
        }
        if (perSecond < 1 || perSecond > MAX_PER_SECOND) {
            throw new IllegalArgumentException("perSecond is between 1 and " + MAX_PER_SECOND + ", not " + perSecond);
        }
        Redeliveries.check(target(application), request);
        boolean picked = !request.ids().isEmpty();
        String filter = picked ? "" : FilterText.write(request.filter());
        if (filter.length() > MAX_FILTER) {
            throw new IllegalArgumentException("the filter has more than " + MAX_FILTER + " characters");
        }
        Instant now = store.now();
        Operation operation = new Operation(
                Ulid.next(),
                application,
                request.action(),
                filter,
                request.errorGroup(),
                request.handler(),
                reason.strip(),
                actor,
                perSecond,
                picked ? OperationState.RUNNING : OperationState.COLLECTING,
                0,
                0,
                0,
                null,
                now,
                now);
        store.insert(
                operation, picked ? target(application).matches(request, null).events() : List.of());
        runner.wake();
        return get(application, operation.id());
    }

    /** @throws IllegalArgumentException if there is no such operation */
    public Operation get(String application, String id) throws SQLException {
        Operation found = find(application, id);
        if (found == null) {
            throw new IllegalArgumentException("there is no operation " + id);
        }
        return found;
    }

    public @Nullable Operation find(String application, String id) throws SQLException {
        return store.find(application, id);
    }

    /** Newest first. */
    public List<Operation> list(String application, @Nullable String before, int size) throws SQLException {
        return store.list(application, before, Math.max(1, Math.min(MAX_PAGE, size)));
    }

    /**
     * The result of each event, in processing order.
     *
     * @param after the event of the last item of the previous page; {@code null} for the first page
     * @throws IllegalArgumentException if the operation has no such event
     */
    public List<Operation.Item> items(String id, @Nullable String outcome, @Nullable String after, int size)
            throws SQLException {
        return store.items(id, outcome, after, Math.max(1, Math.min(MAX_PAGE, size)));
    }

    /**
     * The current state of the events of an operation; of a redelivery, that of the new events.
     *
     * @param delivered delivered or skipped
     * @param dead dead letters
     * @param pending pending or in flight
     * @param held of those pending, how many are held back by an open breaker, a pause or a limit
     * @param gone no longer in the table
     * @param more whether there are more events than were read
     */
    public record Aftermath(int delivered, int dead, int pending, int held, int gone, boolean more) {}

    /** Reads the current state of the first {@value #AFTERMATH_EVENTS} events. */
    public Aftermath aftermath(Operation operation) throws SQLException {
        OperationTarget target = target(operation.application());
        Map<EventState, Integer> counts = new EnumMap<>(EventState.class);
        int looked = 0;
        int found = 0;
        String after = null;
        while (looked < AFTERMATH_EVENTS) {
            List<Operation.Item> items = items(operation.id(), OperationStore.OK, after, MAX_PAGE);
            if (items.isEmpty()) {
                break;
            }
            List<String> ids = items.stream()
                    .flatMap(item -> Stream.ofNullable(
                            operation.action() == EventAction.REDELIVER ? item.detail() : item.eventId()))
                    .toList();
            for (EventSummary event : target.reader().events(ids)) {
                counts.merge(event.state(), 1, Integer::sum);
                found++;
            }
            looked += ids.size();
            after = items.get(items.size() - 1).eventId();
        }
        return new Aftermath(
                counts.getOrDefault(EventState.DONE, 0),
                counts.getOrDefault(EventState.DEAD, 0),
                counts.entrySet().stream()
                        .filter(entry -> entry.getKey().isPending())
                        .mapToInt(Map.Entry::getValue)
                        .sum(),
                counts.getOrDefault(EventState.HELD, 0),
                looked - found,
                operation.succeeded() > looked);
    }

    /** @return whether it was active */
    public boolean pause(String id) throws SQLException {
        return store.change(id, EnumSet.of(OperationState.RUNNING), OperationState.PAUSED, null);
    }

    /** @return whether it was paused or had failed */
    public boolean resume(Operation operation) throws SQLException {
        boolean resumed = store.change(
                operation.id(),
                EnumSet.of(OperationState.PAUSED, OperationState.FAILED),
                operation.state() == OperationState.FAILED
                                && !operation.filter().isEmpty()
                                && !store.isCollected(operation.id())
                        ? OperationState.COLLECTING
                        : OperationState.RUNNING,
                null);
        runner.wake();
        return resumed;
    }

    /** @return whether it was not completed yet */
    public boolean cancel(String id) throws SQLException {
        return store.change(
                id,
                EnumSet.of(
                        OperationState.COLLECTING,
                        OperationState.RUNNING,
                        OperationState.PAUSED,
                        OperationState.FAILED),
                OperationState.CANCELLED,
                null);
    }

    private OperationTarget target(String application) {
        OperationTarget target = targets.apply(application);
        if (target == null) {
            throw new IllegalArgumentException("there is no application '" + application + "'");
        }
        return target;
    }

    @Override
    public void close() {
        runner.close();
    }
}
