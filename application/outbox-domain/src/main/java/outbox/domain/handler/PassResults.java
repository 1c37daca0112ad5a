package outbox.domain.handler;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One delivery of one event to its handlers, and what has to be stored of it. Thread-safe.
 *
 * <h2>What is stored</h2>
 *
 * If nothing is stored about the event and every handler succeeds, the row's outcome says it all, and nothing is
 * written. So the success of a handler waits here until the others have ended. As soon as one of them does anything else
 * than succeed, or after {@link OpenPasses#LONGEST_WAIT}, it is stored, and from then on successes are stored at once.
 */
final class PassResults {
    private final OpenPasses openPasses;
    private final List<CompletableFuture<HandlerResult>> results = new ArrayList<>(2);
    private @Nullable List<Success> successes; // that are not stored; null if all are; guarded by this
    private boolean watched; // by openPasses; guarded by this
    private int open; // handlers that were called and have not ended; guarded by this

    /** @param store stores it, and completes the result of the task */
    private record Success(HandlerTask task, Runnable store) {}

    /** @param storeAtOnce whether something is stored about the event, so that the row's outcome alone does not say it all */
    PassResults(OpenPasses openPasses, boolean storeAtOnce) {
        this.openPasses = openPasses;
        this.successes = storeAtOnce ? null : new ArrayList<>(2);
    }

    /** The results of the handlers, each when it ended. */
    List<CompletableFuture<HandlerResult>> all() {
        return results;
    }

    /** A handler that is not called. */
    void add(HandlerResult result) {
        storeAtOnce();
        results.add(CompletableFuture.completedFuture(result));
    }

    /** Handlers are about to be called. */
    synchronized void calling(int handlers) {
        open = handlers;
    }

    void add(CompletableFuture<HandlerResult> result) {
        results.add(result);
        var unused = result.whenComplete((done, failure) -> {
            if (done instanceof HandlerResult.Done) {
                ended(null);
            } else {
                storeAtOnce();
            }
        });
    }

    /** A handler succeeded, which is not stored. */
    void succeeded(HandlerTask task, Runnable store) {
        if (!ended(new Success(task, store))) {
            store.run();
        }
    }

    /** @return {@code false} if it must be stored */
    private boolean ended(@Nullable Success success) {
        List<Success> all;
        synchronized (this) {
            if (successes == null) {
                return false;
            }
            open--;
            if (success != null) {
                successes.add(success);
            }
            if (open > 0) {
                if (!watched && success != null) {
                    watched = true;
                    openPasses.add(this);
                }
                return true;
            }
            all = successes;
            successes = null;
            stopWatching();
        }
        all.forEach(one -> one.task().result().complete(HandlerResult.DONE));
        return true;
    }

    /** Stores the successes of this pass, and those to come when they come. */
    void storeAtOnce() {
        List<Success> all;
        synchronized (this) {
            if (successes == null) {
                return;
            }
            all = successes;
            successes = null;
            stopWatching();
        }
        all.forEach(one -> one.store().run());
    }

    /** Called with the lock held. */
    private void stopWatching() {
        if (watched) {
            openPasses.remove(this);
        }
    }
}
