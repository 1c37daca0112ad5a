package outbox.dead;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.model.OutboxEvent;
import outbox.spi.OutboxStore;

/**
 * One way through the dead events, oldest first. A replayed event may be dead again a moment later, because nobody
 * repaired what killed it; it then stands in front of those that are still to come, and the pass goes by it. Otherwise
 * replaying and dying would go on for ever. Not thread-safe.
 */
final class ReplayPass {
    private final OutboxStore store;
    private final Replay replay;
    private final @Nullable String eventType;
    private final @Nullable String aggregateType;
    private final int batchSize;

    private Instant reached = Instant.MIN;
    private final Set<String> idsAtReached = new HashSet<>();
    private int deadAgain;
    private boolean over;

    /** Replays one event. @return how many rows that changed */
    @FunctionalInterface
    interface Replay {
        int replay(Connection conn, String eventId) throws SQLException;
    }

    ReplayPass(
            OutboxStore store,
            Replay replay,
            @Nullable String eventType,
            @Nullable String aggregateType,
            int batchSize) {
        this.store = store;
        this.replay = replay;
        this.eventType = eventType;
        this.aggregateType = aggregateType;
        this.batchSize = batchSize;
    }

    boolean isOver() {
        return over;
    }

    /** @return how many events were replayed; can be none before the pass is over */
    int replayBatch(Connection conn) throws SQLException {
        int limit = (int) Math.min(Integer.MAX_VALUE, (long) batchSize + deadAgain);
        List<OutboxEvent> dead = store.queryDead(conn, eventType, aggregateType, limit);
        List<OutboxEvent> ahead =
                dead.stream().filter(this::isAhead).limit(batchSize).toList();
        int replayed = 0;
        for (OutboxEvent event : ahead) {
            replayed += replay.replay(conn, event.eventId());
            reach(event);
        }
        deadAgain = dead.size() - ahead.size();
        over = dead.size() < limit;
        return replayed;
    }

    private boolean isAhead(OutboxEvent event) {
        int order = event.createdAt().compareTo(reached);
        return order > 0 || (order == 0 && !idsAtReached.contains(event.eventId()));
    }

    private void reach(OutboxEvent event) {
        if (!event.createdAt().equals(reached)) {
            reached = event.createdAt();
            idsAtReached.clear();
        }
        idsAtReached.add(event.eventId());
    }
}
