package outbox.dispatch;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Finds what keeps a batch of outcomes from being written, and writes the rest: rows that somebody else has locked are set
 * aside, and the others are written in halves until what fails is alone. For one batch and one thread.
 */
final class Separation {
    /** So many outcomes in a row fail alone, and none was written: then it is hardly because of them. */
    private static final int FAILED_ALONE_AT_MOST = 16;

    /** @param lost ids of events whose lease was lost, so that nothing was written for them */
    record Written(List<Outcome> batch, Set<String> lost) {}

    private final OutcomeWriter writer;
    private final List<Written> written = new ArrayList<>();
    private final List<Outcome> locked = new ArrayList<>();
    private final List<Outcome> failedAlone = new ArrayList<>();
    private final List<Outcome> left = new ArrayList<>();
    private Throwable failure;
    private boolean databaseWrites;
    private boolean over;

    /** @param failure what the database said of the whole batch */
    Separation(OutcomeWriter writer, Throwable failure) {
        this.writer = writer;
        this.failure = failure;
    }

    void separate(List<Outcome> batch) {
        List<Outcome> unlocked = setLockedAside(batch);
        if (unlocked.size() < batch.size()) {
            write(unlocked);
        } else {
            writeHalves(unlocked);
        }
        if (over && !databaseWrites) {
            left.addAll(0, failedAlone);
            Collections.rotate(left, -failedAlone.size()); // so that others come first the next time
            failedAlone.clear();
        }
    }

    /** What was written, in parts. */
    List<Written> written() {
        return written;
    }

    /** Outcomes whose row somebody else has locked. */
    List<Outcome> locked() {
        return locked;
    }

    /** Outcomes that fail alone, while others can be written. */
    List<Outcome> failedAlone() {
        return failedAlone;
    }

    /** What is to be tried again together: the database writes nothing now. */
    List<Outcome> left() {
        return left;
    }

    Throwable lastFailure() {
        return failure;
    }

    private List<Outcome> setLockedAside(List<Outcome> batch) {
        Set<String> lockedIds;
        try {
            lockedIds = writer.locked(batch);
        } catch (Throwable e) {
            return batch; // it is told by writing
        }
        List<Outcome> unlocked = new ArrayList<>(batch.size());
        for (Outcome outcome : batch) {
            (lockedIds.contains(outcome.delivery().eventId()) ? locked : unlocked).add(outcome);
        }
        return unlocked;
    }

    private void writeHalves(List<Outcome> batch) {
        int middle = batch.size() / 2;
        write(batch.subList(0, middle));
        write(batch.subList(middle, batch.size()));
    }

    private void write(List<Outcome> batch) {
        if (batch.isEmpty()) {
            return;
        }
        if (over) {
            left.addAll(batch);
            return;
        }
        Set<String> lost;
        try {
            lost = writer.write(batch);
        } catch (Throwable e) { // an Error too: the others must be written all the same
            failure = e;
            failed(batch);
            return;
        }
        databaseWrites = true;
        written.add(new Written(batch, lost));
    }

    private void failed(List<Outcome> batch) {
        if (failure instanceof OutcomeWriter.NoConnectionException) {
            over = true;
            left.addAll(batch);
        } else if (batch.size() > 1) {
            writeHalves(batch);
        } else {
            failedAlone.add(batch.get(0));
            databaseWrites =
                    databaseWrites || writer.canWriteOtherwise(batch.get(0).delivery());
            over = !databaseWrites && failedAlone.size() >= FAILED_ALONE_AT_MOST;
        }
    }
}
