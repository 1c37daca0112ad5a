package outbox.control.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;

/**
 * Groups the failures of one application. Reads only the newest failures, once for all callers: the first caller waits,
 * and the sampler refreshes the groups while they are in use. Thread-safe.
 */
public final class ErrorGroups {
    /** Maximum number of rows and of attempts to read. */
    static final int LOOKED_AT = 1_000;

    private static final int MAX_TYPES = 5;
    /** The head of a trace: class, message and the first frames. */
    private static final int HEAD = 1_500;

    private static final Duration FRESH = Duration.ofSeconds(10);
    /** Groups older than this are not shown; refreshed ones never get this old. */
    private static final Duration STALE = Duration.ofSeconds(30);
    /** Groups not requested for this long are no longer refreshed. */
    private static final Duration WANTED = Duration.ofMinutes(10);

    private final Application application;
    private final EventReader reader;
    private final Flavor flavor;
    private @Nullable Overview last; // guarded by this
    private long lastNanos; // guarded by this
    private long askedNanos; // guarded by this

    public ErrorGroups(Application application, EventReader reader) {
        this.application = application;
        this.reader = reader;
        this.flavor = application.flavor();
    }

    /**
     * @param at when the failures were read, by the database's clock
     * @param groups most events first
     * @param recorded whether this application records attempts
     * @param partial whether there are more failures than were read
     */
    public record Overview(Instant at, List<ErrorGroup> groups, boolean recorded, boolean partial) {}

    public synchronized Overview read() throws SQLException {
        askedNanos = System.nanoTime();
        Overview known = last;
        if (known == null || askedNanos - lastNanos > STALE.toNanos()) {
            known = look();
            keep(known);
        }
        return known;
    }

    /** Refreshes the groups if they are due and in use. Meanwhile callers get the previous groups. */
    public void refresh() throws SQLException {
        synchronized (this) {
            long now = System.nanoTime();
            if (last == null || now - lastNanos < FRESH.toNanos() || now - askedNanos > WANTED.toNanos()) {
                return;
            }
        }
        keep(look());
    }

    private synchronized void keep(Overview found) {
        last = found;
        lastNanos = System.nanoTime();
    }

    private Overview look() throws SQLException {
        Map<ErrorSignature, Tally> tallies = new HashMap<>();
        try (Connection conn = application.dataSource().getConnection()) {
            Instant at = flavor.clock(conn);
            boolean partial = failing(conn, EventState.DEAD, tallies);
            partial |= failing(conn, EventState.RETRY, tallies);
            boolean recorded = AttemptTable.isWritten(conn, flavor);
            if (recorded) {
                partial |= attempts(conn, tallies);
            }
            List<ErrorGroup> groups = tallies.entrySet().stream()
                    .map(entry -> entry.getValue().group(entry.getKey()))
                    .sorted(Comparator.comparingInt((ErrorGroup group) -> group.dead() + group.retrying())
                            .thenComparing(ErrorGroup::lastSeen)
                            .reversed())
                    .toList();
            return new Overview(at, groups, recorded, partial);
        }
    }

    /** Events that failed and are not delivered yet. @return whether there are more of them */
    private boolean failing(Connection conn, EventState state, Map<ErrorSignature, Tally> tallies) throws SQLException {
        Slice<Failure> last = reader.last(
                conn,
                state,
                LOOKED_AT,
                "event_id, event_type, created_at, SUBSTRING(last_error, 1, " + HEAD + ")",
                this::failure);
        for (Failure failure : last.rows()) {
            Tally tally = tally(tallies, failure);
            if (state == EventState.DEAD) {
                tally.dead++;
            } else {
                tally.retrying++;
            }
        }
        return last.frontier() != null;
    }

    private boolean attempts(Connection conn, Map<ErrorSignature, Tally> tallies) throws SQLException {
        List<Failure> last = new Sql(
                        flavor,
                        "SELECT event_id, event_type, happened_at, SUBSTRING(error_text, 1, " + HEAD
                                + ") FROM outbox_attempt ORDER BY happened_at DESC LIMIT ?",
                        LOOKED_AT)
                .query(conn, this::failure);
        last.forEach(failure -> tally(tallies, failure).attempts++);
        return last.size() == LOOKED_AT;
    }

    private record Failure(String eventId, String type, Instant at, ErrorSignature signature) {}

    private Failure failure(ResultSet row) throws SQLException {
        return new Failure(
                row.getString(1), row.getString(2), flavor.time(row, 3), ErrorSignature.of(row.getString(4)));
    }

    private static Tally tally(Map<ErrorSignature, Tally> tallies, Failure failure) {
        Tally tally = tallies.computeIfAbsent(failure.signature(), key -> new Tally());
        tally.seen(failure.eventId(), failure.type(), failure.at());
        return tally;
    }

    /** Those of the events whose stored error belongs to the group. */
    public Set<String> members(Collection<String> eventIds, String group) throws SQLException {
        if (eventIds.isEmpty()) {
            return Set.of();
        }
        try (Connection conn = application.dataSource().getConnection()) {
            List<String> members = new ArrayList<>();
            new Sql(
                            flavor,
                            "SELECT event_id, SUBSTRING(last_error, 1, " + HEAD + ") FROM " + application.table()
                                    + " WHERE event_id IN ")
                    .addList(eventIds)
                    .query(conn, row -> {
                        if (ErrorSignature.of(row.getString(2)).id().equals(group)) {
                            members.add(row.getString(1));
                        }
                        return group;
                    });
            return new HashSet<>(members);
        }
    }

    /** Accumulates the failures of one signature. */
    private static final class Tally {
        private int dead;
        private int retrying;
        private int attempts;
        private Instant first = Instant.MAX;
        private Instant latest = Instant.MIN;
        private String example = "";
        private final Set<String> types = new TreeSet<>();

        void seen(String eventId, String type, Instant at) {
            if (at.isBefore(first)) {
                first = at;
            }
            if (at.isAfter(latest)) {
                latest = at;
                example = eventId;
            }
            if (types.size() < MAX_TYPES) {
                types.add(type);
            }
        }

        ErrorGroup group(ErrorSignature signature) {
            return new ErrorGroup(
                    signature.id(),
                    signature.errorClass(),
                    signature.message(),
                    signature.frame(),
                    dead,
                    retrying,
                    attempts,
                    first,
                    latest,
                    List.copyOf(types),
                    example);
        }
    }
}
