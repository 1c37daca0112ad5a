package outbox.dispatch;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.Settlement;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryRow;

/** The store as one node sees it: with safeguards switched off where asked, and a watch on whose marks are accepted. */
final class SimulatedStore implements LeasingOutboxStore {
    private final Simulation world;
    private final InMemoryOutboxStore table;
    private final Set<Safeguard> off;
    private final InstantSource nodeClock;
    private final Runnable beforeAnswer;
    private final Runnable answer;
    private @Nullable String firstName;
    private boolean refusedOnce;

    /**
     * @param beforeAnswer what happens between a statement and the moment the engine goes by its answer
     * @param answer throws if the answer to a statement gets lost, although it was committed
     */
    SimulatedStore(Simulation world, InstantSource nodeClock, Runnable beforeAnswer, Runnable answer) {
        this.world = world;
        this.table = world.table;
        this.off = world.off;
        this.nodeClock = nodeClock;
        this.beforeAnswer = beforeAnswer;
        this.answer = answer;
    }

    @Override
    public void insertLeased(Connection conn, List<EventEnvelope> events, String owner) {
        if (off.contains(Safeguard.BORN_LEASE)) {
            table.insertBatch(conn, events);
        } else {
            table.insertLeased(conn, events, owner);
            Simulation.trace(() -> "insert " + owner + events);
        }
    }

    @Override
    public List<OutboxEvent> claim(Connection conn, ClaimRequest request) {
        if (off.contains(Safeguard.DATABASE_CLOCK)) {
            Instant now = nodeClock.instant();
            return table.claimPending(
                    conn, request.owner(), now, now.minus(request.leaseTime()), Duration.ZERO, request.limit());
        }
        List<OutboxEvent> rows = table.claim(conn, request(request));
        checkMemory(rows);
        Simulation.trace(() -> "claim " + request.owner() + " "
                + rows.stream().map(OutboxEvent::eventId).toList());
        answer.run();
        beforeAnswer.run();
        return rows;
    }

    @Override
    public List<OutboxEvent> claimOrdered(Connection conn, ClaimRequest request) {
        List<OutboxEvent> rows = table.claimOrdered(conn, request(request));
        checkMemory(rows);
        if (off.contains(Safeguard.SORT_OF_CLAIMS)) {
            rows = new ArrayList<>(rows);
            Collections.shuffle(rows, world.random);
        }
        List<OutboxEvent> claimed = rows;
        Simulation.trace(() -> "claim in order " + request.owner() + " "
                + claimed.stream().map(OutboxEvent::eventId).toList());
        answer.run();
        beforeAnswer.run();
        return rows;
    }

    private ClaimRequest request(ClaimRequest request) {
        Duration lease = off.contains(Safeguard.LEASE_CHECK) ? Duration.ofNanos(1) : request.leaseTime();
        long maxBytes = off.contains(Safeguard.BYTE_BOUND) ? Long.MAX_VALUE : request.maxBytes();
        return new ClaimRequest(name(request.owner()), lease, Duration.ZERO, request.limit(), maxBytes);
    }

    /** Several large rows at once are more than a small heap takes. */
    private void checkMemory(List<OutboxEvent> rows) {
        long bytes = rows.stream().mapToLong(row -> row.payloadJson().length()).sum();
        if (bytes > SimulatedNode.HEAP) {
            world.violation("out of memory: one claim brought " + bytes + " bytes");
        }
    }

    private String name(String owner) {
        if (!off.contains(Safeguard.FRESH_NAME)) {
            return owner;
        }
        firstName = firstName == null ? owner : firstName;
        return firstName;
    }

    @Override
    public Set<String> settle(Connection conn, String settler, List<Settlement> settlements) {
        String owner = name(settler);
        boolean refused = settlements.stream().anyMatch(world::refuses);
        refusedOnce |= refused;
        if (refused || (refusedOnce && off.contains(Safeguard.ISOLATION))) {
            Simulation.trace(() -> "settle " + owner + settlements + " refused");
            throw Hostility.refusal();
        }
        Map<String, String> ownerBefore = new HashMap<>();
        for (Settlement settlement : settlements) {
            InMemoryRow row = table.row(settlement.eventId());
            ownerBefore.put(settlement.eventId(), row == null ? null : row.lockedBy());
        }
        Set<String> lost = off.contains(Safeguard.FENCE)
                ? settleUnfenced(conn, settlements)
                : table.settle(conn, owner, settlements);
        Simulation.trace(() -> "settle " + owner + settlements + " lost " + lost);
        for (Settlement settlement : settlements) {
            if (!lost.contains(settlement.eventId()) && !owner.equals(ownerBefore.get(settlement.eventId()))) {
                world.violation("mark of a stale owner accepted: " + owner + " wrote " + settlement);
            }
        }
        settlements.stream()
                .filter(settlement -> !lost.contains(settlement.eventId()))
                .forEach(this::noteDeath);
        answer.run();
        beforeAnswer.run();
        return lost;
    }

    private void noteDeath(Settlement settlement) {
        if (settlement.match(done -> false, delete -> false, retry -> false, dead -> true, release -> false)) {
            world.died(settlement.eventId());
            InMemoryRow row = table.row(settlement.eventId());
            if (row != null && off.contains(Safeguard.DEATH_TIME)) {
                table.put(new InMemoryRow(
                        row.event(), row.status(), row.availableAt(), null, row.lastError(), null, null));
            }
        }
    }

    private Set<String> settleUnfenced(Connection conn, List<Settlement> settlements) {
        settlements.forEach(settlement -> settleUnfenced(conn, settlement));
        return Set.of();
    }

    private void settleUnfenced(Connection conn, Settlement settlement) {
        settlement.accept(
                done -> table.markDone(conn, done.eventId()),
                delete -> table.markDone(conn, delete.eventId()),
                retry -> table.markRetry(
                        conn, retry.eventId(), nodeClock.instant().plus(retry.delay()), retry.error()),
                dead -> table.markDead(conn, dead.eventId(), dead.error()),
                release -> {});
    }

    @Override
    public Set<String> renew(Connection conn, String keeper, Collection<String> eventIds) {
        String owner = name(keeper);
        Set<String> lost = table.renew(conn, owner, eventIds);
        Simulation.trace(() -> "renew " + owner + " " + eventIds + " lost " + lost);
        answer.run();
        beforeAnswer.run();
        return lost;
    }

    @Override
    public boolean beginAttempt(Connection conn, String owner, String eventId, int attempts) {
        if (off.contains(Safeguard.ATTEMPT_BEFORE_CALL)) {
            return true;
        }
        boolean written = table.beginAttempt(conn, name(owner), eventId, attempts);
        Simulation.trace(() -> "begin attempt " + attempts + " " + owner + " " + eventId + ": " + written);
        answer.run();
        beforeAnswer.run();
        return written;
    }

    @Override
    public int expireOthers(Connection conn, String owner) {
        return table.expireOthers(conn, owner);
    }

    @Override
    public Duration oldestPendingAge(Connection conn) {
        return table.oldestPendingAge(conn);
    }

    @Override
    public void verifySchema(Connection conn) {}

    @Override
    public void insertNew(Connection conn, EventEnvelope event) {
        table.insertNew(conn, event);
    }

    @Override
    public void insertBatch(Connection conn, List<EventEnvelope> events) {
        table.insertBatch(conn, events);
    }

    @Override
    public int markDone(Connection conn, String eventId) {
        return table.markDone(conn, eventId);
    }

    @Override
    public int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        return table.markRetry(conn, eventId, nextAt, error);
    }

    @Override
    public int markDead(Connection conn, String eventId, String error) {
        return table.markDead(conn, eventId, error);
    }

    @Override
    public List<OutboxEvent> pollPending(Connection conn, Instant now, Duration skipRecent, int limit) {
        return table.pollPending(conn, now, skipRecent, limit);
    }
}
