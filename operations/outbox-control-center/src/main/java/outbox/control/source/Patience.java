package outbox.control.source;

/** Ends a series of looks before the one that would last beyond the end, going by the longest so far. Not thread-safe. */
final class Patience {
    private final long end;
    private long begun;
    private long longest;

    /** @param end as by {@link System#nanoTime} */
    Patience(long end) {
        this.end = end;
        this.begun = System.nanoTime();
    }

    /** Asked after each look. */
    boolean lastsForAnother() {
        long now = System.nanoTime();
        longest = Math.max(longest, now - begun);
        begun = now;
        return now + longest - end < 0;
    }
}
