package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.Settled.Result;
import outbox.spi.Settlement;
import outbox.util.FailureLog;

/**
 * Outcomes that could not be written even alone. Each is tried again by itself, so that no other one waits for it.
 *
 * <h2>Busy or refused</h2>
 *
 * Whether the database is busy or refuses this very outcome is told by how it behaves and not by what it says: an outcome
 * is refused if it fails several times, each time at once, while its row is not locked and another change of it works.
 * Everything else (no connection, a locked row, a slow or read-only database) is waited for as long as the lease stands.
 *
 * <h2>What becomes of a refused outcome</h2>
 *
 * A failure is written with a short note in place of its error text, or without any text if that is refused too. A success becomes a failed attempt, with the refusal
 * as its cause, so that the event ends DEAD after its attempts. If the database refuses that too, the outcome is kept and
 * tried again at long intervals: its event stays leased to this node and is not delivered again meanwhile.
 *
 * <p>Only the settling thread calls this, apart from what says otherwise.
 */
final class RefusedOutcomes {
    private static final Logger LOG = System.getLogger(RefusedOutcomes.class.getName());

    private static final int REFUSALS_THAT_COUNT = 3;
    /** A database that takes longer to answer was waiting for something, unless it does so again and again. */
    private static final long AT_ONCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int MANY_TRIES = 30;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final long KEPT_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final int MOST_KEPT = 1000;
    /** How many are tried in one turn: outcomes of other events wait for it. */
    private static final int TRIES_A_TURN = 20;

    private enum Stage {
        AS_IT_IS,
        AS_FAILURE,
        WITH_NOTE,
        WITHOUT_TEXT,
        KEPT
    }

    private static final class Entry {
        private final Outcome outcome;
        private Outcome tried;
        private Stage stage = Stage.AS_IT_IS;
        private int tries;
        private int refusals;
        private long writesSeen;
        private volatile long due;

        Entry(Outcome outcome, long writesSeen, long due) {
            this.outcome = outcome;
            this.tried = outcome;
            this.writesSeen = writesSeen;
            this.due = due;
        }

        String eventId() {
            return outcome.delivery().eventId();
        }
    }

    private final OutcomeWriter writer;
    private final LongSupplier ticks;
    private final FailureLog waits;
    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    private final AtomicInteger unsettled = new AtomicInteger();
    private final Set<String> kept = ConcurrentHashMap.newKeySet();
    private long writes;

    RefusedOutcomes(OutcomeWriter writer, LongSupplier ticks) {
        this.writer = writer;
        this.ticks = ticks;
        this.waits = new FailureLog(LOG, Level.WARNING, "writing the outcomes of single events", ticks);
    }

    /** This outcome failed when it was written alone. */
    void add(Outcome outcome) {
        add(outcome, 0);
    }

    /** Somebody else has locked the row of this outcome. */
    void addLocked(Outcome outcome) {
        add(outcome, FIRST_PAUSE_NANOS);
    }

    private void add(Outcome outcome, long pause) {
        entries.add(new Entry(outcome, writes, ticks.getAsLong() + pause));
        unsettled.incrementAndGet();
    }

    /** After {@link Result#REFUSED}: this is written about the event whose success the database refused. */
    void writeInstead(Outcome success, Settlement failure) {
        for (Entry entry : entries) {
            if (entry.outcome.delivery() == success.delivery()) {
                entry.tried = success.with(failure);
                postpone(entry, 0);
            }
        }
    }

    /** Outcomes of other events were written: the database is there. */
    void otherWritten() {
        writes++;
    }

    /** How many are still tried at short intervals. Any thread. */
    int unsettled() {
        return unsettled.get();
    }

    /** How many the database refuses in every form. Any thread. */
    int keptCount() {
        return kept.size();
    }

    /** Whether the database refuses every outcome of this event. Any thread. */
    boolean isKept(String eventId) {
        return kept.contains(eventId);
    }

    /** Nanoseconds until the next try; {@link Long#MAX_VALUE} if there is nothing to try. Any thread. */
    long nanosToNextTry() {
        long now = ticks.getAsLong();
        long least = Long.MAX_VALUE;
        for (Entry entry : entries) {
            least = Math.min(least, Math.max(0, entry.due - now));
        }
        return least;
    }

    /** Tries those whose time has come. @return those that need no more tries, or a decision */
    List<Settled> tryDue() {
        List<Settled> results = new ArrayList<>();
        int tries = 0;
        for (Entry entry : entries) {
            if (tries < TRIES_A_TURN && entry.due - ticks.getAsLong() <= 0) {
                tries++;
                try {
                    Settled result = tryAgain(entry);
                    if (result != null) {
                        results.add(result);
                    }
                } catch (OutcomeWriter.NoConnectionException e) {
                    postpone(entry, LONGEST_PAUSE_NANOS);
                    break; // none for the others either
                }
            }
        }
        return results;
    }

    /** @return {@code null} if it is to be tried again */
    private @Nullable Settled tryAgain(Entry entry) {
        if (entry.outcome.delivery().isLeaseLost()) {
            return ended(entry, new Settled(entry.outcome, Result.LOST));
        }
        long start = ticks.getAsLong();
        Set<String> lost;
        try {
            lost = writer.write(List.of(entry.tried));
        } catch (OutcomeWriter.NoConnectionException e) {
            throw e;
        } catch (Throwable e) { // an Error must not keep the settler from the others
            return failedAgain(entry, e, ticks.getAsLong() - start < AT_ONCE_NANOS);
        }
        return ended(entry, new Settled(entry.tried, lost.contains(entry.eventId()) ? Result.LOST : Result.WRITTEN));
    }

    private Settled ended(Entry entry, Settled result) {
        remove(entry);
        return result;
    }

    private void remove(Entry entry) {
        entries.remove(entry);
        if (entry.stage != Stage.KEPT) {
            unsettled.decrementAndGet();
        }
        kept.remove(entry.eventId());
        if (entries.isEmpty()) {
            waits.succeeded();
        }
    }

    private void postpone(Entry entry, long nanos) {
        entry.due = ticks.getAsLong() + nanos;
    }

    private @Nullable Settled failedAgain(Entry entry, Throwable failure, boolean atOnce) {
        entry.tries++;
        boolean definite = atOnce || entry.tries >= MANY_TRIES;
        if (!definite || isLocked(entry) || !canWriteOtherwise(entry)) {
            postpone(entry, pause(entry.tries));
            waits.failed(
                    "the outcome " + entry.tried.kind() + " of event " + entry.eventId()
                            + " cannot be written now; its lease is kept and it is tried again, other events go on",
                    failure);
            return null;
        }
        entry.refusals++;
        if (entry.stage == Stage.AS_IT_IS && entry.refusals < REFUSALS_THAT_COUNT) {
            postpone(entry, pause(entry.refusals));
            return null;
        }
        return refused(entry, failure);
    }

    private static long pause(int tries) {
        return Math.min(LONGEST_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(10, tries));
    }

    private boolean isLocked(Entry entry) {
        try {
            return writer.locked(List.of(entry.outcome)).contains(entry.eventId());
        } catch (Throwable e) {
            return false;
        }
    }

    /** Outcomes of others that were written since the last try show as well that the database takes changes. */
    private boolean canWriteOtherwise(Entry entry) {
        boolean othersWritten = writes > entry.writesSeen;
        entry.writesSeen = writes;
        return othersWritten || writer.canWriteOtherwise(entry.outcome.delivery());
    }

    private @Nullable Settled refused(Entry entry, Throwable failure) {
        return switch (entry.stage) {
            case AS_IT_IS -> entry.outcome.isSuccess() ? becomeFailure(entry, failure) : shorten(entry, failure);
            case AS_FAILURE -> shorten(entry, failure);
            case WITH_NOTE -> replaceText(entry, failure, Stage.WITHOUT_TEXT, error -> "");
            case WITHOUT_TEXT -> keep(entry, failure);
            case KEPT -> {
                postpone(entry, KEPT_PAUSE_NANOS);
                yield null;
            }
        };
    }

    private Settled becomeFailure(Entry entry, Throwable failure) {
        LOG.log(
                Level.ERROR,
                "the database refuses the outcome " + entry.outcome.kind() + " of event " + entry.eventId() + " ("
                        + Refusal.describe(failure)
                        + "); its delivery counts as a failed attempt, other events go on",
                failure);
        entry.stage = Stage.AS_FAILURE;
        return new Settled(entry.outcome, Result.REFUSED, new OutcomeRefusedException(entry.outcome, failure));
    }

    private @Nullable Settled shorten(Entry entry, Throwable failure) {
        return replaceText(entry, failure, Stage.WITH_NOTE, error -> Refusal.noteInPlaceOf(error, failure));
    }

    private @Nullable Settled replaceText(Entry entry, Throwable failure, Stage next, UnaryOperator<String> text) {
        Optional<Settlement> without = entry.tried
                .settlement()
                .match(
                        done -> Optional.empty(),
                        delete -> Optional.empty(),
                        retry -> Optional.of(new Settlement.Retry(
                                retry.eventId(), retry.attempts(), retry.delay(), text.apply(retry.error()))),
                        dead -> Optional.of(
                                new Settlement.Dead(dead.eventId(), dead.attempts(), text.apply(dead.error()))),
                        release -> Optional.empty());
        if (without.isEmpty()) { // a release, which its lease makes up for
            return abandon(entry, failure);
        }
        entry.tried = entry.tried.with(without.get());
        entry.stage = next;
        postpone(entry, 0);
        return null;
    }

    private Settled abandon(Entry entry, Throwable failure) {
        LOG.log(
                Level.ERROR,
                "the outcome " + entry.tried.kind() + " of event " + entry.eventId()
                        + " cannot be written; it is delivered again when its lease is over",
                failure);
        return ended(entry, new Settled(entry.outcome, Result.ABANDONED));
    }

    private Settled keep(Entry entry, Throwable failure) {
        if (kept.size() >= MOST_KEPT) {
            return abandon(entry, failure);
        }
        LOG.log(
                Level.ERROR,
                "the database refuses every outcome of event "
                        + entry.outcome.delivery().envelope() + " ("
                        + Refusal.describe(failure) + "). Its listener "
                        + (entry.outcome.isSuccess() ? "succeeded" : "failed")
                        + "; this node does not deliver it again while it runs, keeps its lease and tries to write the"
                        + " outcome once a minute. Look for a trigger, a constraint or a changed column of the table"
                        + " that refuses the update, and correct it",
                failure);
        entry.tried = entry.outcome;
        entry.stage = Stage.KEPT;
        unsettled.decrementAndGet();
        kept.add(entry.eventId());
        postpone(entry, KEPT_PAUSE_NANOS);
        return new Settled(entry.outcome, Result.KEPT);
    }
}
