package outbox.benchmark;

import java.time.Duration;

/**
 * How much one round does.
 *
 * @param hotEvents events of a hot round, for this project and the peers
 * @param coldEvents pending rows of a cold drain of this project
 * @param peerColdEvents pending rows of a cold drain where the peers take part
 * @param bulkEvents rows of a bulk insert
 * @param latencySamples events whose way is timed
 * @param bigTableRows rows of the tables that must not slow a claim
 * @param claims how many claims are timed
 * @param hold how long a foreign transaction is held open
 * @param idle how long an idle engine is watched
 */
public record Scale(
        int hotEvents,
        int coldEvents,
        int peerColdEvents,
        int bulkEvents,
        int latencySamples,
        int bigTableRows,
        int claims,
        Duration hold,
        Duration idle) {

    /** Writers of the hot scenarios. */
    public static final int WRITERS = 8;

    /** What the figures of the documentation are measured with. */
    public static Scale full() {
        return new Scale(
                20_000,
                100_000,
                10_000,
                100_000,
                2_000,
                1_000_000,
                400,
                Duration.ofSeconds(60),
                Duration.ofSeconds(10));
    }

    /** For a first look: the same scenarios in a few minutes. */
    public static Scale quick() {
        return new Scale(
                8_000, 50_000, 5_000, 50_000, 1_000, 100_000, 200, Duration.ofSeconds(8), Duration.ofSeconds(4));
    }

    /** For a test that all scenarios work. */
    public static Scale smoke() {
        return new Scale(64, 200, 50, 2_000, 50, 1_000, 10, Duration.ofMillis(200), Duration.ofMillis(600));
    }

    /** For the round that is not counted. */
    public Scale warmUp() {
        return new Scale(
                Math.max(64, hotEvents / 4),
                Math.max(200, coldEvents / 4),
                Math.max(50, peerColdEvents / 4),
                Math.max(2_000, bulkEvents / 4),
                Math.max(50, latencySamples / 2),
                bigTableRows,
                Math.max(10, claims / 4),
                min(hold, Duration.ofSeconds(2)),
                min(idle, Duration.ofSeconds(1)));
    }

    public Scale withHold(Duration hold) {
        return new Scale(
                hotEvents, coldEvents, peerColdEvents, bulkEvents, latencySamples, bigTableRows, claims, hold, idle);
    }

    private static Duration min(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }
}
