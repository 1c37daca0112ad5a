package outbox.testing;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** A clock that only moves when the test advances it. Thread-safe. */
public final class ManualClock implements InstantSource {
    /** Start time of {@link #ManualClock()}. */
    public static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final AtomicReference<Instant> now;

    public ManualClock() {
        this(START);
    }

    public ManualClock(Instant start) {
        this.now = new AtomicReference<>(Objects.requireNonNull(start, "start"));
    }

    @Override
    public Instant instant() {
        return Objects.requireNonNull(now.get());
    }

    /**
     * Moves the clock; a negative duration sets it back.
     *
     * @return the new time
     */
    public Instant advance(Duration by) {
        return Objects.requireNonNull(now.updateAndGet(time -> time.plus(by)));
    }

    public void set(Instant time) {
        now.set(Objects.requireNonNull(time, "time"));
    }
}
