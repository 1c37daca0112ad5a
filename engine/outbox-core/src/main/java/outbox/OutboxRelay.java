package outbox;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import outbox.dead.FailedEventAlert;
import outbox.dead.FailedEvents;
import outbox.dispatch.SettlementWatch;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.OutboxStore;
import outbox.spi.Settlement;
import outbox.spi.UnitOfWork;

/**
 * Delivery as a service, for schedulers from outside: each method does its work before it returns and says what came of it.
 * It works beside the outbox's own polling or, with {@link OutboxBuilder#pollOnDemand()}, instead of it. Listeners run on
 * the outbox's workers as always. Any number of nodes may call it at once. Thread-safe.
 */
public final class OutboxRelay {
    private static final Logger LOG = System.getLogger(OutboxRelay.class.getName());
    private static final int SAMPLE = 10;

    private final Supplier<Engine.Path> delivery;
    private final ConnectionProvider connections;
    private final OutboxStore store;
    private final int claimSize;
    private final FailedEventAlert alert;

    OutboxRelay(
            Supplier<Engine.Path> delivery,
            ConnectionProvider connections,
            OutboxStore store,
            int claimSize,
            FailedEventAlert alert) {
        this.delivery = delivery;
        this.connections = connections;
        this.store = store;
        this.claimSize = claimSize;
        this.alert = alert;
    }

    /**
     * What came of a relay.
     *
     * @param taken due events that were taken from the table
     * @param delivered those that are done
     * @param retried those that failed and will be tried again
     * @param dead those that were given up
     */
    public record Result(int taken, int delivered, int retried, int dead) {
        static final Result NOTHING = new Result(0, 0, 0, 0);
        private static final Result DELIVERED = new Result(0, 1, 0, 0);
        private static final Result RETRIED = new Result(0, 0, 1, 0);
        private static final Result DIED = new Result(0, 0, 0, 1);

        Result plus(Result more) {
            return new Result(taken + more.taken, delivered + more.delivered, retried + more.retried, dead + more.dead);
        }
    }

    /**
     * Takes at most {@code batchSize} due events: new ones nobody has in flight, retries whose time has come, and what a dead
     * node left. Returns when each has been delivered or has failed, and that is written.
     *
     * @throws IllegalStateException if the table cannot be read
     */
    public Result relayOnce(int batchSize) {
        if (batchSize <= 0) {
            throw new IllegalArgumentException("batchSize must be positive: " + batchSize);
        }
        return relay(batchSize, new HashSet<>());
    }

    /** @param notEnded gets the ids of those that were taken and went back to the table as they were */
    private Result relay(int batchSize, Set<String> notEnded) {
        Engine.Path now = delivery.get();
        try (SettlementWatch watch = now.dispatcher().watch()) {
            List<String> taken = now.handler().limited(batchSize, now.poller()::pollOrFail);
            List<Settlement> ends =
                    watch.await(taken).stream().filter(OutboxRelay::isAnEnd).toList();
            Set<String> ended = ends.stream().map(Settlement::eventId).collect(Collectors.toSet());
            taken.stream().filter(id -> !ended.contains(id)).forEach(notEnded::add);
            return count(taken.size(), ends);
        } catch (SQLException e) {
            throw new IllegalStateException("the outbox table cannot be read: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while events were being delivered; their delivery goes on", e);
        }
    }

    private static boolean isAnEnd(Settlement settlement) {
        return settlement.match(done -> true, delete -> true, retry -> true, dead -> true, release -> false);
    }

    private static Result count(int taken, List<Settlement> settlements) {
        Result ended = new Result(taken, 0, 0, 0);
        for (Settlement settlement : settlements) {
            ended = ended.plus(settlement.match(
                    done -> Result.DELIVERED,
                    delete -> Result.DELIVERED,
                    retry -> Result.RETRIED,
                    dead -> Result.DIED,
                    release -> Result.NOTHING));
        }
        return ended;
    }

    /**
     * Relays batch after batch until nothing more is due, or nothing of what is due can be delivered now: late events,
     * failed ones, and those of dead nodes.
     */
    public Result recoverOnce() {
        Result total = Result.NOTHING;
        Result batch;
        Set<String> notEnded = new HashSet<>();
        boolean news;
        do {
            int before = notEnded.size();
            batch = relay(claimSize, notEnded);
            total = total.plus(batch);
            news = batch.delivered() + batch.retried() + batch.dead() > 0 || notEnded.size() > before;
        } while (news);
        return total;
    }

    /**
     * Looks for dead events and, if there are any, tells the {@link OutboxBuilder#failedEventAlert alert}.
     *
     * @throws IllegalStateException if the table cannot be read
     */
    public FailedEvents warnFailedOnce() {
        FailedEvents failed;
        try {
            failed = UnitOfWork.run(connections, conn -> {
                int dead = store.countDead(conn, null);
                Duration age = store instanceof LeasingOutboxStore leasing ? leasing.oldestPendingAge(conn) : null;
                return new FailedEvents(dead, dead == 0 ? List.of() : store.queryDead(conn, null, null, SAMPLE), age);
            });
        } catch (SQLException e) {
            throw new IllegalStateException("the outbox table cannot be read: " + e.getMessage(), e);
        }
        if (failed.dead() > 0) {
            alert.failed(failed);
        } else {
            alert.noneFailed();
        }
        return failed;
    }

    /** What an outbox does that was given no alert. */
    static void log(FailedEvents failed) {
        LOG.log(
                Level.WARNING,
                () -> failed.dead() + " event(s) are dead and wait for a person; the oldest: "
                        + failed.oldest().stream()
                                .map(event -> event.eventId() + " of type " + event.eventType())
                                .toList());
    }
}
