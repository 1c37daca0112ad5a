package outbox.testing;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.FormerLease;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.ConnectionProvider;
import outbox.spi.DuplicateEventException;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.RetentionPurger;
import outbox.spi.Settlement;
import outbox.spi.StoredPayload;
import outbox.util.JsonCodec;

/**
 * An outbox table in memory, for tests without a database: the same rules, a settable clock, and access to the rows.
 * Inserted rows are visible to other connections after the commit, as in a database; other changes are visible at once
 * and undone by a rollback. Thread-safe: one lock guards everything.
 *
 * <pre>{@code
 * ManualClock clock = new ManualClock();
 * InMemoryOutboxStore store = new InMemoryOutboxStore(clock);
 * InMemoryTxContext tx = store.txContext();
 * OutboxWriter writer = new OutboxWriter(tx, store);
 * tx.inTransaction(() -> writer.write("OrderPlaced", "{}"));
 * }</pre>
 */
public final class InMemoryOutboxStore implements LeasingOutboxStore {
    private static final Comparator<InMemoryRow> BY_CREATION =
            Comparator.comparing((InMemoryRow row) -> row.event().createdAt()).thenComparing(InMemoryRow::id);
    private static final Comparator<InMemoryRow> BY_DUE_TIME =
            Comparator.comparing(InMemoryRow::availableAt).thenComparing(InMemoryRow::id);

    private static final Duration LONGEST_DELAY = Duration.ofDays(100_000);

    private final InstantSource clock;
    private final JsonCodec codec;
    private final Object lock = new Object();
    private final Map<String, InMemoryRow> rows = new LinkedHashMap<>();
    /** Rows whose transaction is still open, and whose it is. */
    private final Map<String, InMemoryConnection> uncommitted = new LinkedHashMap<>();

    public InMemoryOutboxStore() {
        this(Clock.systemUTC());
    }

    /** A store that uses {@code clock} as the database's clock. */
    public InMemoryOutboxStore(InstantSource clock) {
        this(clock, JsonCodec.getDefault());
    }

    public InMemoryOutboxStore(InstantSource clock, JsonCodec codec) {
        this.clock = Objects.requireNonNull(clock, "clock");
        this.codec = Objects.requireNonNull(codec, "codec");
    }

    /** Connections to this store, with transactions but without SQL. */
    public ConnectionProvider connectionProvider() {
        return () -> new InMemoryConnection(lock).proxy();
    }

    /** Transactions on this store, one per thread. */
    public InMemoryTxContext txContext() {
        return new InMemoryTxContext(connectionProvider());
    }

    /** Deletes terminal rows of this store. */
    public RetentionPurger purger() {
        return new RetentionPurger() {
            @Override
            public int purge(Connection conn, Cutoff cutoff, int limit) {
                return InMemoryOutboxStore.this.purge(conn, cutoff, limit);
            }

            @Override
            public Optional<Instant> now(Connection conn) {
                return Optional.of(InMemoryOutboxStore.this.now());
            }
        };
    }

    /** The row as it is now, or {@code null} if there is none. */
    public @Nullable InMemoryRow row(String eventId) {
        synchronized (lock) {
            return rows.get(eventId);
        }
    }

    /** All rows as they are now, in the order they were inserted. */
    public List<InMemoryRow> rows() {
        synchronized (lock) {
            return List.copyOf(rows.values());
        }
    }

    public long count(EventStatus status) {
        return rows().stream().filter(row -> row.status() == status).count();
    }

    /** Inserts a row as another writer might, for instance with undecodable headers. */
    public void put(InMemoryRow row) {
        synchronized (lock) {
            rows.put(row.id(), row);
        }
    }

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        insert(conn, List.of(event), null);
    }

    @Override
    public void insertBatch(Connection conn, List<EventEnvelope> events) {
        insert(conn, events, null);
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String owner) {
        insert(conn, events, Objects.requireNonNull(owner, "owner"));
    }

    private void insert(Connection conn, List<EventEnvelope> events, @Nullable String owner) {
        InMemoryConnection connection = InMemoryConnection.of(conn);
        synchronized (lock) {
            Set<String> ids = new HashSet<>();
            for (EventEnvelope event : events) {
                if (rows.containsKey(event.eventId()) || !ids.add(event.eventId())) {
                    throw new DuplicateEventException("event id is already in the store: " + event.eventId(), null);
                }
            }
            List<InMemoryRow> inserted =
                    events.stream().map(event -> newRow(event, owner)).toList();
            for (InMemoryRow row : inserted) {
                rows.put(row.id(), row);
                uncommitted.put(row.id(), connection);
                connection.changed(() -> uncommitted.remove(row.id()), () -> {
                    uncommitted.remove(row.id());
                    rows.remove(row.id());
                });
            }
        }
    }

    private InMemoryRow newRow(EventEnvelope event, @Nullable String owner) {
        Instant now = now();
        Instant due = now;
        if (event.availableAt() != null) {
            due = event.availableAt();
        } else if (event.deliverAfter() != null) {
            due = now.plus(bounded(event.deliverAfter()));
        }
        boolean leased = owner != null && !event.isDelayed();
        OutboxEvent row = new OutboxEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                StoredPayload.encode(event),
                StoredPayload.encodeHeaders(event, codec),
                0,
                event.occurredAt().truncatedTo(ChronoUnit.MICROS));
        return new InMemoryRow(row, EventStatus.NEW, due, null, null, leased ? owner : null, leased ? now : null);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        return mark(conn, eventId, row -> row.done(now()));
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, @Nullable String error) {
        return mark(conn, eventId, row -> row.retry(row.event().attempts() + 1, nextAt, error));
    }

    @Override
    public int markDead(Connection conn, String eventId, @Nullable String error) {
        return mark(conn, eventId, row -> row.dead(row.event().attempts(), row.doneAt(), error));
    }

    private int mark(Connection conn, String eventId, Change change) {
        return change(conn, eventId, row -> row.status() != EventStatus.DONE, change) ? 1 : 0;
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        synchronized (lock) {
            return events(visible(conn)
                    .filter(due(now, now.minus(skipRecent)))
                    .sorted(BY_CREATION)
                    .limit(limit)
                    .toList());
        }
    }

    @Override
    public List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        synchronized (lock) {
            return lease(
                    conn,
                    visible(conn)
                            .filter(due(now, now.minus(skipRecent)))
                            .filter(row -> row.isFreeAt(lockExpiry))
                            .sorted(BY_CREATION)
                            .limit(limit)
                            .toList(),
                    ownerId,
                    now);
        }
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, ClaimRequest request) {
        synchronized (lock) {
            Instant now = now();
            Instant createdBefore = request.skipRecent().isZero() ? Instant.MAX : now.minus(request.skipRecent());
            return lease(
                    conn,
                    visible(conn)
                            .filter(due(now, createdBefore))
                            .filter(row -> row.isFreeAt(now.minus(request.leaseTime())))
                            .sorted(BY_DUE_TIME)
                            .limit(request.limit())
                            .takeWhile(withinBytes(request))
                            .toList(),
                    request.owner(),
                    now);
        }
    }

    /** The order of rows is that of their inserts. */
    @Override
    public List<OutboxEvent> claimOrdered(Connection conn, ClaimRequest request) {
        synchronized (lock) {
            Instant now = now();
            Instant createdBefore = request.skipRecent().isZero() ? Instant.MAX : now.minus(request.skipRecent());
            Predicate<InMemoryRow> claimable =
                    due(now, createdBefore).and(row -> row.isFreeAt(now.minus(request.leaseTime())));
            Set<List<String>> blocked = new HashSet<>();
            List<InMemoryRow> chosen = new ArrayList<>();
            Predicate<InMemoryRow> fits = withinBytes(request);
            for (InMemoryRow row : visible(conn).filter(InMemoryRow::isInTheWay).toList()) {
                List<String> key = row.orderKey();
                boolean free = key.isEmpty() || !blocked.contains(key);
                if (free && claimable.test(row) && chosen.size() < request.limit() && fits.test(row)) {
                    chosen.add(row);
                } else if (!row.isHeldBy(request.owner())) {
                    blocked.add(key);
                }
            }
            return lease(conn, chosen, request.owner(), now);
        }
    }

    @Override
    public int skip(Connection conn, String eventId) {
        return change(conn, eventId, InMemoryRow::isLeftToOperators, row -> row.done(now())) ? 1 : 0;
    }

    @Override
    public int park(Connection conn, String eventId) {
        return change(conn, eventId, InMemoryRow::isLeftToOperators, row -> row.parked(now())) ? 1 : 0;
    }

    private List<OutboxEvent> lease(Connection conn, List<InMemoryRow> chosen, String owner, Instant now) {
        for (InMemoryRow row : chosen) {
            change(conn, row.id(), any -> true, current -> current.leased(owner, now));
        }
        return chosen.stream()
                .map(row -> row.lockedBy() == null || row.lockedAt() == null
                        ? row.event()
                        : row.event().heldBefore(row.isHeldBy(owner) ? FormerLease.OWN : FormerLease.OTHER))
                .toList();
    }

    @Override
    public boolean beginAttempt(Connection conn, String owner, String eventId, int attempts) {
        return change(conn, eventId, row -> row.isHeldBy(owner), row -> row.attempted(attempts));
    }

    @Override
    public Set<String> settle(Connection conn, String owner, List<Settlement> settlements) {
        Set<String> lost = new LinkedHashSet<>();
        synchronized (lock) {
            for (Settlement settlement : settlements) {
                if (!change(conn, settlement.eventId(), row -> row.isHeldBy(owner), row -> outcome(row, settlement))) {
                    lost.add(settlement.eventId());
                }
            }
        }
        return lost;
    }

    private @Nullable InMemoryRow outcome(InMemoryRow row, Settlement settlement) {
        Instant now = now();
        Optional<InMemoryRow> after = settlement.match(
                done -> Optional.of(row.done(now)),
                delete -> Optional.empty(),
                retry -> Optional.of(row.retry(retry.attempts(), now.plus(bounded(retry.delay())), retry.error())),
                dead -> Optional.of(row.dead(dead.attempts(), now, dead.error())),
                release -> Optional.of(
                        release.delay().isZero()
                                ? row.freed(release.attempts())
                                : row.freed(release.attempts(), now.plus(bounded(release.delay())), now)));
        return after.orElse(null);
    }

    @Override
    public Set<String> renew(Connection conn, String owner, Collection<String> eventIds) {
        Set<String> lost = new LinkedHashSet<>();
        synchronized (lock) {
            Instant now = now();
            for (String id : eventIds) {
                if (!change(conn, id, row -> row.isHeldBy(owner), row -> row.leased(owner, now))) {
                    lost.add(id);
                }
            }
        }
        return lost;
    }

    @Override
    public int expireOthers(Connection conn, String owner) {
        synchronized (lock) {
            List<InMemoryRow> held = visible(conn)
                    .filter(row -> row.isPending() && row.lockedBy() != null && !row.isHeldBy(owner))
                    .toList();
            held.forEach(row -> change(
                    conn,
                    row.id(),
                    any -> true,
                    current -> current.leased(Objects.requireNonNull(current.lockedBy()), Instant.EPOCH)));
            return held.size();
        }
    }

    @Override
    public OptionalInt countPending(Connection conn, int atMost) {
        synchronized (lock) {
            return OptionalInt.of((int) visible(conn)
                    .filter(row -> row.status() == EventStatus.NEW || row.status() == EventStatus.RETRY)
                    .limit(atMost)
                    .count());
        }
    }

    @Override
    public OptionalInt countDead(Connection conn, int atMost) {
        synchronized (lock) {
            return OptionalInt.of((int) visible(conn)
                    .filter(row -> row.status() == EventStatus.DEAD)
                    .limit(atMost)
                    .count());
        }
    }

    @Override
    public @Nullable Duration oldestPendingAge(Connection conn) {
        synchronized (lock) {
            Instant now = now();
            return visible(conn)
                    .filter(InMemoryRow::isPending)
                    .map(row -> row.dueSince(now))
                    .filter(Objects::nonNull)
                    .min(Comparator.naturalOrder())
                    .map(oldest -> oldest.isAfter(now) ? Duration.ZERO : Duration.between(oldest, now))
                    .orElse(null);
        }
    }

    /** Does nothing: there is no schema. */
    @Override
    public void verifySchema(Connection conn) {}

    @Override
    public List<OutboxEvent> queryDead(
            Connection conn, @Nullable String eventType, @Nullable String aggregateType, int limit) {
        synchronized (lock) {
            return events(dead(conn, eventType)
                    .filter(row -> aggregateType == null
                            || aggregateType.equals(row.event().aggregateType()))
                    .sorted(BY_CREATION)
                    .limit(limit)
                    .toList());
        }
    }

    @Override
    public int replayDead(Connection conn, String eventId) {
        return change(conn, eventId, row -> row.status() == EventStatus.DEAD, row -> row.replayed(now())) ? 1 : 0;
    }

    @Override
    public int countDead(Connection conn, @Nullable String eventType) {
        synchronized (lock) {
            return (int) dead(conn, eventType).count();
        }
    }

    private Stream<InMemoryRow> dead(Connection conn, @Nullable String eventType) {
        return visible(conn)
                .filter(row -> row.status() == EventStatus.DEAD)
                .filter(row -> eventType == null || eventType.equals(row.event().eventType()));
    }

    private int purge(Connection conn, RetentionPurger.Cutoff cutoff, int limit) {
        if (limit <= 0) {
            throw new IllegalArgumentException("limit must be positive: " + limit);
        }
        synchronized (lock) {
            List<InMemoryRow> old = visible(conn)
                    .filter(row -> row.hasEndedBefore(cutoff))
                    .sorted(BY_CREATION)
                    .limit(limit)
                    .toList();
            old.forEach(row -> change(conn, row.id(), any -> true, current -> null));
            return old.size();
        }
    }

    /** What becomes of a row; {@code null} if it is deleted. */
    @FunctionalInterface
    private interface Change {
        @Nullable
        InMemoryRow apply(InMemoryRow row);
    }

    private boolean change(Connection conn, String eventId, Predicate<InMemoryRow> guard, Change change) {
        InMemoryConnection connection = InMemoryConnection.of(conn);
        synchronized (lock) {
            InMemoryRow before = rows.get(eventId);
            if (before == null || !isVisible(connection, before) || !guard.test(before)) {
                return false;
            }
            InMemoryRow after = change.apply(before);
            if (after == null) {
                rows.remove(eventId);
            } else {
                rows.put(eventId, after);
            }
            connection.changed(() -> {}, () -> rows.put(eventId, before));
            return true;
        }
    }

    private Stream<InMemoryRow> visible(Connection conn) {
        InMemoryConnection connection = InMemoryConnection.of(conn);
        return new ArrayList<>(rows.values()).stream().filter(row -> isVisible(connection, row));
    }

    private boolean isVisible(InMemoryConnection connection, InMemoryRow row) {
        InMemoryConnection writer = uncommitted.get(row.id());
        return writer == null || writer == connection;
    }

    private static Predicate<InMemoryRow> due(Instant now, Instant createdBefore) {
        return row -> row.isPending()
                && !row.availableAt().isAfter(now)
                && !row.event().createdAt().isAfter(createdBefore);
    }

    /** For rows that are asked for in their order; the one that reaches the limit is the last that fits. */
    private static Predicate<InMemoryRow> withinBytes(ClaimRequest request) {
        AtomicLong taken = new AtomicLong();
        return row -> taken.getAndAdd(
                        bytesOf(row.event().payloadJson()) + bytesOf(row.event().headersJson()))
                < request.maxBytes();
    }

    private static int bytesOf(@Nullable String text) {
        return text == null ? 0 : text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static List<OutboxEvent> events(List<InMemoryRow> chosen) {
        return chosen.stream().map(InMemoryRow::event).toList();
    }

    /** As databases do: there are delays that lead beyond all times. */
    private static Duration bounded(Duration delay) {
        return delay.compareTo(LONGEST_DELAY) > 0 ? LONGEST_DELAY : delay;
    }

    private Instant now() {
        return clock.instant();
    }
}
