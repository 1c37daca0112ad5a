package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.DeliveryTimeoutException;
import outbox.EventListener;
import outbox.listener.ControlledListener;
import outbox.listener.RunningCalls;

/** One call of a listener by a worker, with the deliveries it is about. */
final class ListenerCall extends RunningCalls.Call {
    private static final Logger LOG = System.getLogger(Worker.class.getName());

    private final Worker worker;
    private final @Nullable EventListener registered;
    private final boolean async;
    private volatile List<Delivery> deliveries; // emptied when it timed out: a stage may keep this call for ever
    private volatile @Nullable CompletionStage<?> stage;
    private volatile @Nullable DeliveryTimeoutException timeout;

    ListenerCall(
            Worker worker,
            List<Delivery> deliveries,
            @Nullable EventListener registered,
            boolean async,
            Duration timeLimit) {
        super(registered == null ? "none" : ControlledListener.nameOf(registered), timeLimit);
        this.worker = worker;
        this.deliveries = deliveries;
        this.registered = registered;
        this.async = async;
    }

    /** The listener has returned; the call ends when its stage completes. */
    void waitFor(CompletionStage<?> answer) {
        stage = answer;
        withoutThread();
        if (timeout != null) {
            cancelStage();
        }
    }

    /** @param failureOf what came of each delivery, {@code null} for success; does not count after the time limit */
    void end(Function<Delivery, @Nullable Throwable> failureOf) {
        List<Delivery> ended = deliveries;
        if (end()) {
            worker.returned(ended.get(0));
            ended.forEach(delivery -> {
                Throwable failure = failureOf.apply(delivery);
                worker.after(delivery, failure);
                worker.settle(delivery, registered, failure);
            });
        } else if (!async) { // interceptors may have left something on this thread, which only they can remove
            DeliveryTimeoutException late = timeout;
            ended.forEach(delivery -> worker.after(delivery, late));
        }
    }

    @Override
    protected void limitReached(DeliveryTimeoutException failure) {
        timeout = failure;
    }

    @Override
    protected void timedOut(DeliveryTimeoutException failure) {
        List<Delivery> late = deliveries;
        worker.returned(late.get(0));
        if (late.size() > 1) {
            late.forEach(Delivery::sharesFailure);
        }
        for (Delivery delivery : late) {
            if (async) {
                worker.after(delivery, failure);
            }
            if (!delivery.isFinished()) {
                worker.settle(delivery, registered, failure);
            }
        }
        if (async) {
            deliveries = List.of();
            cancelStage();
        }
    }

    private void cancelStage() {
        CompletionStage<?> answer = stage;
        stage = null;
        if (answer == null) {
            return;
        }
        try {
            answer.toCompletableFuture().cancel(true);
        } catch (Throwable e) { // some stages cannot
            LOG.log(Level.DEBUG, "the stage of a listener that timed out cannot be cancelled; it is ignored", e);
        }
    }

    @Override
    protected void abandoned(Thread abandonedThread) {
        worker.replaceWorker(abandonedThread);
    }
}
