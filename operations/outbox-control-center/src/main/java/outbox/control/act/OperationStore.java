package outbox.control.act;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.control.source.EventSummary;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;

/** Operations and their items in the control center's own tables. Thread-safe. */
final class OperationStore {
    private static final String COLUMNS =
            "id, application, action, filter_text, error_group, handler, reason, actor, per_second,"
                    + " state, total, succeeded, refused, problem, created_at, changed_at";
    private static final String ITEMS = "SELECT event_id, event_created_at, outcome, detail, happened_at"
            + " FROM outbox_cc_operation_item WHERE operation_id = ?";
    private static final String WAITING = "waiting";
    private static final int MOST_TRIES = 10;
    private static final String TAKEN = "taken";
    static final String OK = "ok";
    /** Cursor value that means all events were collected. */
    private static final String COLLECTED = "end";

    private static final int FORGOTTEN_AT_ONCE = 500;
    private static final int MAX_PROBLEM = 1000;

    private final DataSource dataSource;
    private final Flavor flavor;

    OperationStore(DataSource dataSource) {
        this.dataSource = dataSource;
        this.flavor = Flavor.detect(dataSource);
    }

    Instant now() throws SQLException {
        return UnitOfWork.run(dataSource::getConnection, flavor::clock);
    }

    void insert(Operation operation, List<EventSummary> picked) throws SQLException {
        UnitOfWork.run(dataSource::getConnection, conn -> {
            new Sql(
                            flavor,
                            "INSERT INTO outbox_cc_operation (" + COLUMNS
                                    + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                            operation.id(),
                            operation.application(),
                            operation.action().verb(),
                            operation.filter(),
                            operation.errorGroup(),
                            operation.handler(),
                            operation.reason(),
                            operation.actor(),
                            operation.perSecond(),
                            operation.state().stored(),
                            picked.size(),
                            0,
                            0,
                            null,
                            operation.createdAt(),
                            operation.changedAt())
                    .update(conn);
            return addItems(conn, operation.id(), picked);
        });
    }

    @Nullable
    Operation find(String application, String id) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return new Sql(
                            flavor,
                            "SELECT " + COLUMNS + " FROM outbox_cc_operation WHERE id = ? AND application = ?",
                            id,
                            application)
                    .first(conn, this::operation);
        }
    }

    /** Newest first. */
    List<Operation> list(String application, @Nullable String before, int size) throws SQLException {
        Sql sql = new Sql(flavor, "SELECT " + COLUMNS + " FROM outbox_cc_operation WHERE application = ?", application);
        if (before != null) {
            sql.add(" AND id < ?", before);
        }
        sql.add(" ORDER BY id DESC LIMIT ?", size);
        return UnitOfWork.run(dataSource::getConnection, conn -> sql.query(conn, this::operation));
    }

    /**
     * Items in processing order.
     *
     * @param after the event of the last item of the previous page; {@code null} for the first page
     */
    List<Operation.Item> items(String id, @Nullable String outcome, @Nullable String after, int size)
            throws SQLException {
        return UnitOfWork.run(dataSource::getConnection, conn -> {
            Sql sql = new Sql(flavor, ITEMS, id);
            if (outcome != null) {
                sql.add(" AND outcome = ?", outcome);
            }
            if (after != null) {
                Operation.Item last = new Sql(flavor, ITEMS + " AND event_id = ?", id, after).first(conn, this::item);
                if (last == null) {
                    throw new IllegalArgumentException("operation " + id + " has no event '" + after + "'");
                }
                sql.add(
                        " AND event_created_at >= ? AND (event_created_at > ? OR event_id > ?)",
                        last.eventCreatedAt(),
                        last.eventCreatedAt(),
                        after);
            }
            return sql.add(" ORDER BY event_created_at, event_id LIMIT ?", size).query(conn, this::item);
        });
    }

    /** The current holder still stores its results in progress. @return whether it was in one of the states */
    boolean change(String id, Collection<OperationState> from, OperationState to, @Nullable String problem)
            throws SQLException {
        return UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(
                                        flavor,
                                        "UPDATE outbox_cc_operation SET state = ?, problem = ?, changed_at = ? WHERE id = ? AND state IN ",
                                        to.stored(),
                                        cut(problem),
                                        flavor.clock(conn),
                                        id)
                                .addList(from.stream()
                                        .map(OperationState::stored)
                                        .toList())
                                .update(conn)
                        > 0);
    }

    List<Operation> open() throws SQLException {
        String states = Arrays.stream(OperationState.values())
                .filter(OperationState::isOpen)
                .map(state -> "'" + state.stored() + "'")
                .collect(Collectors.joining(", "));
        return UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(
                                flavor,
                                "SELECT " + COLUMNS + " FROM outbox_cc_operation WHERE state IN (" + states
                                        + ") ORDER BY id")
                        .query(conn, this::operation));
    }

    /** @return whether the owner now holds the lease */
    boolean hold(String id, String owner, Duration lease) throws SQLException {
        return UnitOfWork.run(dataSource::getConnection, conn -> {
            Instant now = flavor.clock(conn);
            return new Sql(
                                    flavor,
                                    "UPDATE outbox_cc_operation SET held_by = ?, held_until = ? WHERE id = ?"
                                            + " AND (held_by IS NULL OR held_by = ? OR held_until < ?)",
                                    owner,
                                    now.plus(lease),
                                    id,
                                    owner,
                                    now)
                            .update(conn)
                    > 0;
        });
    }

    /** Releases all operations of the owner, so that others need not wait for the lease to expire. */
    void release(String owner) throws SQLException {
        UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(
                                flavor,
                                "UPDATE outbox_cc_operation SET held_by = NULL, held_until = NULL WHERE held_by = ?",
                                owner)
                        .update(conn));
    }

    /** Stores a page of events and the cursor of the next one. @return whether the owner still held the operation */
    boolean collected(String id, String owner, List<EventSummary> events, @Nullable String next) throws SQLException {
        return UnitOfWork.run(dataSource::getConnection, conn -> {
            if (!isHeld(conn, id, owner)) {
                return false;
            }
            int added = addItems(conn, id, events);
            new Sql(
                            flavor,
                            "UPDATE outbox_cc_operation SET total = total + ?, list_cursor = ?, changed_at = ? WHERE id = ?",
                            added,
                            next == null ? COLLECTED : next,
                            flavor.clock(conn),
                            id)
                    .update(conn);
            return true;
        });
    }

    /** The cursor of the next page; {@code null} for the first. */
    @Nullable
    String cursor(String id) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            Sql sql = new Sql(
                    flavor, "SELECT list_cursor FROM outbox_cc_operation WHERE id = ? AND list_cursor IS NOT NULL", id);
            return sql.first(conn, row -> row.getString(1));
        }
    }

    /** Whether all its events were collected. */
    boolean isCollected(String id) throws SQLException {
        return COLLECTED.equals(cursor(id));
    }

    /**
     * Events to process now.
     *
     * @param times when each was taken
     * @param again whether a previous holder took them and stopped: they may have been processed already
     */
    record Taken(Map<String, Instant> times, boolean again) {
        List<String> events() {
            return List.copyOf(times.keySet());
        }
    }

    /**
     * Takes the next events, oldest first, so that each aggregate keeps its order. Events that were taken earlier and
     * have no result come first.
     *
     * @return nothing if the owner no longer holds the operation, or it was stopped
     */
    Optional<Taken> take(String id, String owner, int limit) throws SQLException {
        return UnitOfWork.run(dataSource::getConnection, conn -> {
            if (heldState(conn, id, owner) != OperationState.RUNNING) {
                return Optional.empty();
            }
            Map<String, Instant> left = taken(conn, id, limit);
            if (!left.isEmpty()) {
                return Optional.of(new Taken(left, true));
            }
            mark(conn, id, waiting(conn, id, limit), WAITING, TAKEN, null);
            return Optional.of(new Taken(taken(conn, id, limit), false));
        });
    }

    private List<String> waiting(Connection conn, String id, int limit) throws SQLException {
        return next(id, WAITING, limit).query(conn, row -> row.getString(1));
    }

    private Map<String, Instant> taken(Connection conn, String id, int limit) throws SQLException {
        Map<String, Instant> times = new LinkedHashMap<>();
        next(id, TAKEN, limit).query(conn, row -> times.put(row.getString(1), flavor.time(row, 2)));
        return times;
    }

    private Sql next(String id, String outcome, int limit) {
        return new Sql(
                flavor,
                "SELECT event_id, happened_at FROM outbox_cc_operation_item WHERE operation_id = ? AND outcome = ?"
                        + " ORDER BY event_created_at, event_id LIMIT ?",
                id,
                outcome,
                limit);
    }

    /** @return how many of them had the previous outcome */
    private int mark(Connection conn, String id, List<String> events, String from, String to, @Nullable String detail)
            throws SQLException {
        return events.isEmpty()
                ? 0
                : new Sql(
                                flavor,
                                "UPDATE outbox_cc_operation_item SET outcome = ?, detail = ?, happened_at = ?"
                                        + " WHERE operation_id = ? AND outcome = ? AND event_id IN ",
                                to,
                                detail,
                                flavor.clock(conn),
                                id,
                                from)
                        .addList(events)
                        .update(conn);
    }

    /** @return whether the owner still held the operation; otherwise the new holder determines what was done */
    boolean settled(String id, String owner, Results results) throws SQLException {
        return afterDeadlocksAgain(conn -> {
            if (!isHeld(conn, id, owner)) {
                return false;
            }
            int succeeded = mark(conn, id, results.done(), TAKEN, OK, null)
                    + mark(
                            conn,
                            id,
                            results.found(),
                            TAKEN,
                            OK,
                            "found in this state after a server stopped before recording the result");
            for (Map.Entry<String, String> copy : results.copies().entrySet()) {
                succeeded += mark(conn, id, List.of(copy.getKey()), TAKEN, OK, copy.getValue());
            }
            int refused = 0;
            for (Map.Entry<String, List<String>> reason : results.byReason().entrySet()) {
                refused += mark(conn, id, reason.getValue(), TAKEN, "refused", reason.getKey());
            }
            new Sql(
                            flavor,
                            "UPDATE outbox_cc_operation SET succeeded = succeeded + ?, refused = refused + ?, changed_at = ?"
                                    + " WHERE id = ?",
                            succeeded,
                            refused,
                            flavor.clock(conn),
                            id)
                    .update(conn);
            return true;
        });
    }

    /** Retries, because results that are not stored must be inferred from the table, which others change too. */
    private <T> T afterDeadlocksAgain(UnitOfWork.Work<T> work) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return UnitOfWork.run(dataSource::getConnection, work);
            } catch (SQLException e) {
                String state = e.getSQLState();
                if (tries == MOST_TRIES || state == null || !state.startsWith("40")) { // 40: rolled back as a whole
                    throw e;
                }
            }
        }
    }

    /**
     * Results of events that were taken.
     *
     * @param found already in the desired state, changed by a previous holder
     * @param copies redelivered events, and the ids of their copies
     * @param refused the reason for each event
     */
    record Results(List<String> done, List<String> found, Map<String, String> copies, Map<String, String> refused) {
        Results() {
            this(new ArrayList<>(), new ArrayList<>(), new LinkedHashMap<>(), new LinkedHashMap<>());
        }

        private Map<String, List<String>> byReason() {
            return refused.entrySet().stream()
                    .collect(Collectors.groupingBy(
                            Map.Entry::getValue, Collectors.mapping(Map.Entry::getKey, Collectors.toList())));
        }
    }

    /**
     * Deletes results of operations after their retention, and then the operations: a few at a time, to keep statements
     * short.
     *
     * @return whether there may be more
     */
    boolean forget(Duration kept) throws SQLException {
        return UnitOfWork.run(dataSource::getConnection, conn -> {
            String id = new Sql(
                            flavor,
                            "SELECT id FROM outbox_cc_operation WHERE changed_at < ? AND state IN ",
                            flavor.clock(conn).minus(kept))
                    .addList(Arrays.stream(OperationState.values())
                            .filter(OperationState::isEnd)
                            .map(OperationState::stored)
                            .toList())
                    .add(" ORDER BY id LIMIT 1")
                    .first(conn, row -> row.getString(1));
            if (id == null) {
                return false;
            }
            List<String> events = new Sql(
                            flavor,
                            "SELECT event_id FROM outbox_cc_operation_item WHERE operation_id = ? LIMIT ?",
                            id,
                            FORGOTTEN_AT_ONCE)
                    .query(conn, row -> row.getString(1));
            if (events.isEmpty()) {
                new Sql(flavor, "DELETE FROM outbox_cc_operation WHERE id = ?", id).update(conn);
            } else {
                new Sql(flavor, "DELETE FROM outbox_cc_operation_item WHERE operation_id = ? AND event_id IN ", id)
                        .addList(events)
                        .update(conn);
            }
            return true;
        });
    }

    private boolean isHeld(Connection conn, String id, String owner) throws SQLException {
        return heldState(conn, id, owner) != null;
    }

    /** @return {@code null} if the owner does not hold the operation */
    private @Nullable OperationState heldState(Connection conn, String id, String owner) throws SQLException {
        return new Sql(
                        flavor,
                        "SELECT state FROM outbox_cc_operation WHERE id = ? AND held_by = ? FOR UPDATE",
                        id,
                        owner)
                .first(conn, row -> OperationState.of(row.getString(1)));
    }

    /** A page may repeat an event whose position changed meanwhile. */
    private int addItems(Connection conn, String id, List<EventSummary> events) throws SQLException {
        if (events.isEmpty()) {
            return 0;
        }
        Set<String> known = new HashSet<>(new Sql(
                        flavor,
                        "SELECT event_id FROM outbox_cc_operation_item WHERE operation_id = ? AND event_id IN ",
                        id)
                .addList(events.stream().map(EventSummary::id).toList())
                .query(conn, row -> row.getString(1)));
        List<EventSummary> added =
                events.stream().filter(event -> known.add(event.id())).toList();
        Sql insert = new Sql(
                flavor,
                "INSERT INTO outbox_cc_operation_item (operation_id, event_id, event_created_at, outcome) VALUES ");
        String comma = "";
        for (EventSummary event : added) {
            insert.add(comma + "(?, ?, ?, 'waiting')", id, event.id(), event.createdAt());
            comma = ", ";
        }
        return added.isEmpty() ? 0 : insert.update(conn);
    }

    private Operation operation(ResultSet row) throws SQLException {
        return new Operation(
                row.getString(1),
                row.getString(2),
                EventAction.valueOf(row.getString(3).toUpperCase(Locale.ROOT)),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getString(8),
                row.getInt(9),
                OperationState.of(row.getString(10)),
                row.getInt(11),
                row.getInt(12),
                row.getInt(13),
                row.getString(14),
                flavor.time(row, 15),
                flavor.time(row, 16));
    }

    private Operation.Item item(ResultSet row) throws SQLException {
        return new Operation.Item(
                row.getString(1), flavor.time(row, 2), row.getString(3), row.getString(4), flavor.optionalTime(row, 5));
    }

    private static @Nullable String cut(@Nullable String text) {
        return text == null || text.length() <= MAX_PROBLEM ? text : text.substring(0, MAX_PROBLEM);
    }
}
