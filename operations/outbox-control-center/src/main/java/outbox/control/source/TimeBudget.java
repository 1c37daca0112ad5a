package outbox.control.source;

/**
 * Limits a series of queries: stops before the next one would exceed the end, judging by the slowest so far. Not
 * thread-safe.
 */
final class TimeBudget {
    private final long end;
    private long begun;
    private long longest;

    /** @param end as {@link System#nanoTime} */
    TimeBudget(long end) {
        this.end = end;
        this.begun = System.nanoTime();
    }

    /** To be called after each query. */
    boolean lastsForAnother() {
        long now = System.nanoTime();
        longest = Math.max(longest, now - begun);
        begun = now;
        return now + longest - end < 0;
    }
}
