package outbox.dispatch;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.spi.ConnectionProvider;
import outbox.spi.DeadLetterStore;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.OutboxStore;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;

/** Writes outcomes to their rows, and finds out what is in the way when that fails. Thread-safe. */
final class OutcomeWriter {
    private static final int VALID_WITHIN_SECONDS = 5;

    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final InstantSource clock;
    private final @Nullable DeadLetterStore deadLetters;

    /** @param deadLetters where dead rows are to be announced; {@code null} if nobody listens */
    OutcomeWriter(
            ConnectionProvider connections,
            OutboxStore store,
            InstantSource clock,
            @Nullable DeadLetterStore deadLetters) {
        ConnectionProvider reporting = () -> connect(connections);
        this.connections = reporting.withNetworkTimeout(connections.networkTimeout());
        this.store = store;
        this.clock = clock;
        this.deadLetters = deadLetters;
    }

    /** There is no connection to be had: this says nothing about the outcomes. */
    static final class NoConnectionException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NoConnectionException(Throwable cause) {
            super("no connection to the database", cause);
        }
    }

    private static Connection connect(ConnectionProvider connections) {
        try {
            return connections.getConnection();
        } catch (SQLException | RuntimeException e) {
            throw new NoConnectionException(e);
        }
    }

    /**
     * Writes all of them, or none.
     *
     * @return ids of events whose lease was lost; nothing was written for them
     */
    Set<String> write(List<Outcome> batch) throws SQLException {
        Map<String, List<Settlement>> byOwner = new HashMap<>();
        List<Settlement> unfenced = new ArrayList<>();
        for (Outcome outcome : batch) {
            String owner = outcome.delivery().owner();
            List<Settlement> group =
                    owner == null ? unfenced : byOwner.computeIfAbsent(owner, o -> new ArrayList<>(batch.size()));
            group.add(outcome.settlement());
        }
        List<String> dead = deadLetters == null ? List.of() : deadOf(batch);
        if (unfenced.isEmpty() && byOwner.size() == 1 && dead.isEmpty()) { // nearly always
            Map.Entry<String, List<Settlement>> only =
                    byOwner.entrySet().iterator().next();
            return UnitOfWork.single(connections, conn -> leasing().settle(conn, only.getKey(), only.getValue()));
        }
        return UnitOfWork.run(connections, conn -> {
            unfenced.forEach(settlement -> markUnfenced(conn, settlement));
            Set<String> lost = new HashSet<>();
            byOwner.forEach((owner, settlements) -> lost.addAll(leasing().settle(conn, owner, settlements)));
            List<String> died = dead.stream().filter(id -> !lost.contains(id)).toList();
            if (deadLetters != null && !died.isEmpty()) {
                deadLetters.markUnannounced(conn, died); // with the outcome, or it would get lost with this process
            }
            return lost;
        });
    }

    private static List<String> deadOf(List<Outcome> batch) {
        return batch.stream()
                .map(Outcome::settlement)
                .filter(Settlement.Dead.class::isInstance)
                .map(Settlement::eventId)
                .toList();
    }

    private LeasingOutboxStore leasing() {
        return (LeasingOutboxStore) store; // only such a store's rows have an owner
    }

    /** For events nobody leased: the specification's marks, row by row. */
    private void markUnfenced(Connection conn, Settlement settlement) {
        settlement.accept(
                done -> store.markDone(conn, done.eventId()),
                delete -> store.markDone(conn, delete.eventId()),
                retry -> store.markRetry(conn, retry.eventId(), clock.instant().plus(retry.delay()), retry.error()),
                dead -> store.markDead(conn, dead.eventId(), dead.error()),
                release -> {}); // nobody holds it
    }

    /** Writes an attempt before it is made. @return {@code false} if the lease was lost */
    boolean beginAttempt(String owner, String eventId, int attempt) throws SQLException {
        return !(store instanceof LeasingOutboxStore leasing)
                || UnitOfWork.single(connections, conn -> leasing.beginAttempt(conn, owner, eventId, attempt));
    }

    /** Ids of events whose row somebody else has locked now; empty if the store cannot tell. */
    Set<String> locked(List<Outcome> batch) throws SQLException {
        return store instanceof LeasingOutboxStore leasing
                ? UnitOfWork.single(
                        connections,
                        conn -> leasing.lockedRows(
                                conn,
                                batch.stream()
                                        .map(outcome -> outcome.delivery().eventId())
                                        .toList()))
                : Set.of();
    }

    /**
     * Tries to write something else than the outcome: starts the event's lease anew. Where it has none, all that can be
     * asked is whether the connection works.
     */
    boolean canWriteOtherwise(Delivery delivery) {
        try {
            String owner = delivery.owner();
            return owner == null
                    ? UnitOfWork.single(connections, conn -> conn.isValid(VALID_WITHIN_SECONDS))
                    : !UnitOfWork.single(connections, conn -> leasing().renew(conn, owner, List.of(delivery.eventId())))
                            .contains(delivery.eventId());
        } catch (Throwable e) { // an Error too: the settler has to go on
            return false;
        }
    }
}
