package outbox.dispatch;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.listener.ControlledListener;
import outbox.listener.RetryPreset;
import outbox.listener.RunningCalls;
import outbox.registry.ListenerRegistry;
import outbox.spi.FailureListener;
import outbox.spi.GuardedMetrics;
import outbox.spi.MetricsExporter;
import outbox.util.FailureLog;
import outbox.util.Ticks;

/**
 * Brings events to their listeners that come one after the other out of a log, such as the log of a database, and not
 * out of a table: there is nothing to mark, and the only thing the caller keeps is how far it got. Listeners,
 * interceptors and the rules of a {@link ControlledListener} are the same as with {@link OutboxDispatcher}.
 *
 * <p>Events of one aggregate are delivered one after the other, in the order they come in; those of different aggregates,
 * and those without an aggregate id, run side by side. One that fails is tried again after the delay of the retry
 * policy and meanwhile holds up its aggregate, and in the end the call that brought it.
 *
 * <h2>When attempts are used up</h2>
 *
 * An event is never skipped. With {@link DeadLetters} it goes there, and the next of its aggregate follows once they have
 * taken it. Without, it is tried for ever, and the stream stands still until it gets through.
 *
 * <p>Thread-safe; calls of {@link #deliver} wait for each other.
 */
public final class StreamDispatcher implements AutoCloseable {
    private static final Logger LOG = System.getLogger(StreamDispatcher.class.getName());

    private final RetryPolicy retryPolicy;
    private final @Nullable DeadLetters deadLetters;
    private final FailureLog deadLetterFailures = new FailureLog(LOG, Level.ERROR, "storing dead letters");
    private final MetricsExporter metrics;
    private final long drainTimeoutNanos;
    private final EventQueues ready = new EventQueues(1, 1);
    /** What the workers tell the delivering thread; empty to make it look whether this is closing. */
    private final BlockingQueue<Optional<Outcome>> outcomes = new LinkedBlockingQueue<>();

    private final Worker worker;
    private final WorkerPool workers;
    private final RunningCalls calls;
    private final ReentrantLock delivering = new ReentrantLock();
    /** What a call left behind that was interrupted; guarded by delivering. */
    private final Set<Delivery> stragglers = new HashSet<>();

    private volatile boolean closing;

    /** Where an event goes that its listener will not take. */
    @FunctionalInterface
    public interface DeadLetters {
        /**
         * Called on the thread of {@link StreamDispatcher#deliver}; returning means the event is safe there. If it
         * throws, it is called again later, and the event's aggregate waits.
         *
         * @param attempts how often the listener was called
         * @param error what it threw last, with its trace
         */
        void add(EventEnvelope event, int attempts, String error) throws Exception;
    }

    private StreamDispatcher(Builder builder) {
        this.retryPolicy = builder.retryPolicy;
        this.deadLetters = builder.deadLetters;
        this.metrics = GuardedMetrics.of(builder.metrics);
        this.drainTimeoutNanos = Ticks.in(builder.drainTimeout);
        this.workers = new WorkerPool(builder.workerCount, null);
        this.calls = new RunningCalls(
                System::nanoTime, metrics, Math.max(OutboxDispatcher.MOST_ABANDONED, builder.workerCount));
        this.worker = new Worker(
                new StreamProtocol(),
                Objects.requireNonNull(builder.listenerRegistry, "listenerRegistry"),
                List.copyOf(builder.interceptors),
                new Verdict(
                        builder.retryPolicy,
                        builder.maxAttempts,
                        CompletionMode.MARK,
                        builder.failureListener,
                        System::nanoTime),
                metrics,
                System::nanoTime,
                calls,
                builder.timeLimit,
                workers::replaceWorker,
                new AsyncLimits(AsyncLimits.MOST, System::nanoTime));
    }

    private StreamDispatcher start() {
        workers.start(this::work, calls);
        return this;
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Delivers these events and returns when each is done or with the dead letters. If an earlier call was interrupted,
     * the listeners that still run for it end first.
     *
     * @return how many are finished, from the first on: all of them, unless this dispatcher is being closed. Others
     *     behind them may be finished too, and come twice if the caller goes on from there
     * @throws InterruptedException if the caller was interrupted; nothing is known about the events then
     */
    public int deliver(List<EventEnvelope> events) throws InterruptedException {
        delivering.lockInterruptibly();
        try {
            awaitStragglers();
            return closing ? 0 : new StreamRun(this, events).run();
        } finally {
            delivering.unlock();
        }
    }

    private void awaitStragglers() throws InterruptedException {
        while (!stragglers.isEmpty() && !closing) {
            outcomes.take().ifPresent(outcome -> stragglers.remove(outcome.delivery()));
        }
    }

    /** Whether {@link #close()} was called. */
    public boolean isClosing() {
        return closing;
    }

    // ---- what a run needs ---------------------------------------------------------------------------------------

    BlockingQueue<Optional<Outcome>> outcomes() {
        return outcomes;
    }

    @Nullable
    DeadLetters deadLetters() {
        return deadLetters;
    }

    FailureLog deadLetterFailures() {
        return deadLetterFailures;
    }

    MetricsExporter metrics() {
        return metrics;
    }

    long drainTimeoutNanos() {
        return drainTimeoutNanos;
    }

    void call(Delivery delivery) {
        ready.resume(delivery);
    }

    /** A run ends although these have not: those that no worker has begun are forgotten, the others must end first. */
    void leaveBehind(Collection<Delivery> running) {
        for (Delivery delivery : running) {
            if (!delivery.withdraw() && !withdrawQueued(delivery)) {
                stragglers.add(delivery);
            }
        }
    }

    private boolean withdrawQueued(Delivery delivery) {
        boolean withdrawn = ready.withdraw(delivery);
        if (withdrawn) {
            delivery.leaveConcurrencyLimit();
        }
        return withdrawn;
    }

    /** How long to wait after so many failures where the verdict is that there should be no further attempt. */
    Duration delayAfter(int attempts) {
        try {
            return Duration.ofMillis(Math.max(0, retryPolicy.computeDelayMs(attempts)));
        } catch (RuntimeException e) { // a policy of the user's own
            LOG.log(Level.WARNING, "retry policy failed at attempt " + attempts + "; waiting a minute", e);
            return Duration.ofMinutes(1);
        }
    }

    // ---- the workers --------------------------------------------------------------------------------------------

    private boolean work() throws InterruptedException {
        Delivery delivery = ready.take();
        if (delivery == null) {
            return false;
        }
        worker.process(delivery);
        return true;
    }

    /** The worker's view: every outcome goes to the delivering thread, which decides what follows. */
    private final class StreamProtocol implements Worker.Protocol {
        @Override
        public @Nullable Delivery tryNext() {
            return ready.tryTake();
        }

        @Override
        public boolean admit(Delivery delivery) {
            return true;
        }

        @Override
        public void resume(Delivery delivery) {
            ready.resume(delivery);
        }

        @Override
        public void ended(Outcome outcome) {
            outcome.delivery().finish();
            outcomes.add(Optional.of(outcome));
        }
    }

    /**
     * Starts no more deliveries, waits for those that run, at most for the drain timeout, then interrupts them. A call of
     * {@link #deliver} returns with what is finished by then.
     */
    @Override
    public void close() {
        closing = true;
        outcomes.add(Optional.empty());
        delivering.lock(); // until the run in progress has ended, which takes no longer than the drain timeout
        try {
            ready.close();
        } finally {
            delivering.unlock();
        }
        workers.endWorkers(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(100), worker::interrupting);
        workers.endTimeLimits();
        workers.restoreInterrupt();
    }

    /** Collects the parts of a dispatcher; not thread-safe. */
    public static final class Builder {
        private @Nullable ListenerRegistry listenerRegistry;
        private RetryPolicy retryPolicy = RetryPreset.RELAY.policy();
        private int maxAttempts = RetryPreset.RELAY.maxAttempts();
        private int workerCount = OutboxDispatcher.DEFAULT_WORKER_COUNT;
        private Duration timeLimit = OutboxDispatcher.DEFAULT_TIME_LIMIT;
        private Duration drainTimeout = Duration.ofMillis(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS);
        private @Nullable DeadLetters deadLetters;
        private FailureListener failureListener = FailureListener.NONE;
        private MetricsExporter metrics = MetricsExporter.NOOP;
        private final List<EventInterceptor> interceptors = new ArrayList<>();

        private Builder() {}

        /** Required. */
        public Builder listenerRegistry(ListenerRegistry listenerRegistry) {
            this.listenerRegistry = Objects.requireNonNull(listenerRegistry, "listenerRegistry");
            return this;
        }

        /** Default: that of {@link RetryPreset#RELAY}. */
        public Builder retryPolicy(RetryPolicy retryPolicy) {
            this.retryPolicy = Objects.requireNonNull(retryPolicy, "retryPolicy");
            return this;
        }

        /** After how many failures an event goes to the dead letters; default: as {@link RetryPreset#RELAY}. */
        public Builder maxAttempts(int maxAttempts) {
            if (maxAttempts <= 0) {
                throw new IllegalArgumentException("maxAttempts must be positive: " + maxAttempts);
            }
            this.maxAttempts = maxAttempts;
            return this;
        }

        /** How many listeners run at a time; default {@value OutboxDispatcher#DEFAULT_WORKER_COUNT}. */
        public Builder workerCount(int workerCount) {
            if (workerCount <= 0) {
                throw new IllegalArgumentException("workerCount must be positive: " + workerCount);
            }
            this.workerCount = workerCount;
            return this;
        }

        /** See {@link OutboxDispatcher.Builder#timeLimit}; default 10 minutes. */
        public Builder timeLimit(Duration timeLimit) {
            this.timeLimit = ControlledListener.checkedTimeLimit(timeLimit);
            return this;
        }

        /** How long {@link #close()} waits for listeners that run; default 5 s. */
        public Builder drainTimeout(Duration drainTimeout) {
            if (drainTimeout.isNegative()) {
                throw new IllegalArgumentException("drainTimeout must not be negative: " + drainTimeout);
            }
            this.drainTimeout = drainTimeout;
            return this;
        }

        /** Default: none, so that an event is tried until it gets through. */
        public Builder deadLetters(DeadLetters deadLetters) {
            this.deadLetters = Objects.requireNonNull(deadLetters, "deadLetters");
            return this;
        }

        /** Told of every failed delivery; default: nobody. */
        public Builder failureListener(FailureListener failureListener) {
            this.failureListener = Objects.requireNonNull(failureListener, "failureListener");
            return this;
        }

        public Builder metrics(MetricsExporter metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Adds one; they run in the order they were added. */
        public Builder interceptor(EventInterceptor interceptor) {
            this.interceptors.add(Objects.requireNonNull(interceptor, "interceptor"));
            return this;
        }

        /** Builds the dispatcher and starts its workers. */
        public StreamDispatcher build() {
            return new StreamDispatcher(this).start();
        }
    }
}
