package outbox.benchmark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Processor time of this JVM and the server it started, together. On a machine that others use too it says more than
 * the time on the wall.
 */
public final class CpuClock {
    private static final long NANOS_PER_TICK = 10_000_000;

    private final Duration startedAt = total();

    private CpuClock() {}

    public static CpuClock start() {
        return new CpuClock();
    }

    /** Milliseconds for a thousand events since the start. */
    public Measurement per1000(long events) {
        double millis = total().minus(startedAt).toNanos() / 1e6;
        return new Measurement("cpu", Unit.CPU_MILLIS_PER_1000_EVENTS, millis * 1000 / Math.max(1, events));
    }

    private static Duration total() {
        long own = ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toNanos();
        long server = ProcessHandle.current()
                .descendants()
                .mapToLong(process -> ticksOf(process.pid()))
                .sum();
        return Duration.ofNanos(own + server * NANOS_PER_TICK);
    }

    /** With the time of children that have ended: a server has a process for each connection. */
    private static long ticksOf(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            String[] words = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
            long ticks = 0;
            for (int at = 11; at <= 14; at++) { // utime, stime, cutime, cstime
                ticks += Long.parseLong(words[at]);
            }
            return ticks;
        } catch (IOException e) {
            return 0; // it has just ended, or this is not Linux
        }
    }
}
