package outbox.util;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A monotonic clock in nanoseconds, for ages and deadlines inside this process. */
public final class Ticks {
    private static final InstantSource SYSTEM = InstantSource.system();
    /** Ticks wrap around; times that are further apart could not be compared. */
    private static final long LONGEST = Long.MAX_VALUE / 4;

    private Ticks() {}

    /** The default clock of all builders; with it ticks come from {@link System#nanoTime()} and never jump. */
    public static InstantSource systemClock() {
        return SYSTEM;
    }

    /** Also {@link Clock#systemUTC()} and its likes, which may jump: ages and deadlines must not follow them. */
    private static boolean isSystem(InstantSource clock) {
        return clock.equals(SYSTEM)
                || (clock instanceof Clock zoned
                        && zoned.withZone(ZoneOffset.UTC).equals(Clock.systemUTC()));
    }

    /** How many ticks a time lasts; one that never ends is cut to some 73 years. */
    public static long in(Duration time) {
        return Math.min(LONGEST, TimeUnit.NANOSECONDS.convert(time));
    }

    /** Ticks that go with {@code clock}: a manual clock moves ages and deadlines too. */
    public static LongSupplier of(InstantSource clock) {
        if (isSystem(clock)) {
            return System::nanoTime;
        }
        return () -> {
            Instant now = clock.instant();
            return Math.addExact(Math.multiplyExact(now.getEpochSecond(), 1_000_000_000L), now.getNano());
        };
    }
}
