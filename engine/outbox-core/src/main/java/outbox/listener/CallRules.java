package outbox.listener;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.NotAttemptedException;
import outbox.spi.BreakerState;

/**
 * The rules that are asked before a listener is called, and what its results mean for them. This is the one place that
 * asks them: whoever calls listeners or handlers calls {@link #postpone} right before, so a new rule is asked by all of
 * them. For the engine's own modules. Thread-safe.
 */
public final class CallRules {
    /** When the events of a paused listener are looked at again. */
    public static final Duration WHILE_PAUSED = Duration.ofSeconds(5);

    private final String listener;
    private final @Nullable RateLimit rateLimit;
    private final @Nullable CircuitBreaker breaker;
    private volatile boolean paused;

    /**
     * The event must come again later; no attempt is counted.
     *
     * @param why completes a sentence that begins with the listener's name
     */
    public record Postponement(Duration delay, String why) {}

    /** @param onBreakerChange see {@link CircuitBreaker} */
    public CallRules(String listener, ControlledListener.Rules rules, Consumer<BreakerState> onBreakerChange) {
        this.listener = listener;
        this.rateLimit = rules.rate() == null ? null : new RateLimit(rules.rate());
        this.breaker = rules.breakerFailures() == 0
                ? null
                : new CircuitBreaker(listener, rules.breakerFailures(), rules.breakerPause(), onBreakerChange);
    }

    public void pause() {
        paused = true;
    }

    public void resume() {
        paused = false;
    }

    public boolean isPaused() {
        return paused;
    }

    /** {@link BreakerState#CLOSED} for ever if there is no circuit breaker. */
    public BreakerState breakerState() {
        return breaker == null ? BreakerState.CLOSED : breaker.state();
    }

    /** {@code null} if there is none. */
    public @Nullable CircuitBreaker breaker() {
        return breaker;
    }

    /** {@code null} if there is none. */
    @Nullable
    RateLimit rateLimit() {
        return rateLimit;
    }

    /**
     * Asks all rules. If they let the event pass, it must be called, or asked about with {@link #whileWaiting}.
     *
     * @param now in ticks, as all times here
     * @param isNew see {@link RateLimit#tryTake}
     * @return {@code null} if the listener may be called
     */
    public @Nullable Postponement postpone(RunningCalls calls, long now, boolean isNew) {
        if (calls.isSuspended(listener)) {
            return new Postponement(WHILE_PAUSED, "has hung calls and is not called");
        }
        if (paused) {
            return whilePaused();
        }
        long open = breaker == null ? 0 : breaker.openFor(now); // before it takes a place of the rate
        if (open > 0) {
            return whileOpen(open);
        }
        long early = rateLimit == null ? 0 : rateLimit.tryTake(now, isNew);
        if (early > 0) {
            return new Postponement(Duration.ofNanos(early), "is at its rate limit");
        }
        long stayAway = breaker == null ? 0 : breaker.tryPass(now);
        return stayAway > 0 ? whileOpen(stayAway) : null;
    }

    /** To be kept with an event that waits for its call: see {@link #whileWaiting}. */
    public int openings() {
        return breaker == null ? 0 : breaker.openings();
    }

    /**
     * Asks again about an event that was let pass and has not been called yet.
     *
     * @param openings when it was let pass: the probe of an open breaker is let pass later than those before it
     * @return {@code null} if the listener may be called
     */
    public @Nullable Postponement whileWaiting(int openings, long now) {
        if (paused) {
            return whilePaused();
        }
        return breaker != null && breaker.state() != BreakerState.CLOSED && breaker.openings() != openings
                ? whileOpen(breaker.stayAway(now))
                : null;
    }

    private static Postponement whilePaused() {
        return new Postponement(WHILE_PAUSED, "is paused");
    }

    private static Postponement whileOpen(long nanos) {
        return new Postponement(Duration.ofNanos(nanos), "failed too often; its circuit breaker is open");
    }

    /**
     * How a call ended.
     *
     * @param deadAtOnce whether the failure makes the event dead: that event is to blame then, not the listener
     */
    public void report(@Nullable Throwable failure, boolean deadAtOnce, long now) {
        if (breaker == null) {
            return;
        }
        if (failure == null) {
            breaker.succeeded();
        } else if (deadAtOnce || failure instanceof NotAttemptedException) {
            breaker.undecided(now);
        } else {
            breaker.failed(now);
        }
    }
}
