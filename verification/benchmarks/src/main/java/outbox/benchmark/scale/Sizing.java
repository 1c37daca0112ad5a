package outbox.benchmark.scale;

import java.util.List;
import java.util.Locale;

/**
 * What a load asks of a database, calculated from figures of {@code docs/benchmarks.md} and of this file: no measurement.
 * It prints the table of {@code docs/scale.md}.
 *
 * <p>Arguments, all or none: events a second, payload bytes, days of retention, nodes, databases.
 */
public final class Sizing {
    /** Bytes of a row and its index entries besides the payload. {@link RowCost} measured 1515 for a payload of 500. */
    private static final int ROW_OVERHEAD = 250;
    /** The table's fillfactor is 50. */
    private static final int FILL = 2;
    /** Bytes of WAL besides the payload, for an insert and its commit; measured 879 with a payload of 500. */
    private static final int WAL_INSERT = 380;
    /**
     * Bytes of WAL for a settlement; measured 295, of which the payload is no part while the new version of the row stays on
     * its page. Images of pages after a checkpoint come on top; 940 were seen. Leased at its birth, a row needs no claim.
     */
    private static final int WAL_SETTLE = 600;

    /** Events written by one transaction that settles a batch, under load. */
    private static final int SETTLED_AT_ONCE = 100;
    /** Polls of an idle database a second: by the node it belongs to, and by each of the others. */
    private static final double OWN_POLLS = 1 / 13.0;

    private static final double OTHER_POLLS = 1 / 260.0;

    private final double eventsASecond;
    private final int payloadBytes;
    private final int days;
    private final int nodes;
    private final int databases;

    private Sizing(double eventsASecond, int payloadBytes, int days, int nodes, int databases) {
        this.eventsASecond = eventsASecond;
        this.payloadBytes = payloadBytes;
        this.days = days;
        this.nodes = nodes;
        this.databases = databases;
    }

    private double perDatabase() {
        return eventsASecond / databases;
    }

    /** The business commits with its event in it, and the settlements. */
    double commitsASecond() {
        return perDatabase() * (1 + 1.0 / SETTLED_AT_ONCE);
    }

    double walMegabytesASecond() {
        return perDatabase() * (payloadBytes + WAL_INSERT + WAL_SETTLE) / 1e6;
    }

    double tableGigabytes() {
        return perDatabase() * 86_400 * days * (payloadBytes + ROW_OVERHEAD) * FILL / 1e9;
    }

    double idlePollsASecondAndDatabase() {
        return OWN_POLLS + (nodes - 1) * OTHER_POLLS;
    }

    /** An outbox of its own on each node: a poll a second each. */
    double idlePollsWithoutAFleet() {
        return nodes;
    }

    private String row() {
        return String.format(
                Locale.ROOT,
                "| %,.0f | %d | %d | %d | %,.0f | %.1f | %,.0f | %.2f | %,.0f |",
                eventsASecond,
                days,
                nodes,
                databases,
                commitsASecond(),
                walMegabytesASecond(),
                tableGigabytes(),
                idlePollsASecondAndDatabase(),
                idlePollsWithoutAFleet());
    }

    public static void main(String[] args) {
        System.out.println(
                "| events/s | days kept | nodes | databases | commits/s | WAL MB/s | table GB | idle polls/s, fleet"
                        + " | idle polls/s, outbox each |");
        System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        List<Sizing> sizes = args.length == 5
                ? List.of(new Sizing(
                        Double.parseDouble(args[0]),
                        Integer.parseInt(args[1]),
                        Integer.parseInt(args[2]),
                        Integer.parseInt(args[3]),
                        Integer.parseInt(args[4])))
                : List.of(
                        new Sizing(10, 500, 7, 2, 1),
                        new Sizing(300, 500, 7, 4, 1),
                        new Sizing(2_000, 500, 3, 10, 1),
                        new Sizing(2_000, 500, 3, 100, 8),
                        new Sizing(20_000, 500, 2, 200, 16),
                        new Sizing(100_000, 500, 1, 2_000, 64));
        sizes.forEach(size -> System.out.println(size.row()));
    }
}
