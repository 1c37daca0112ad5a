package outbox.benchmark;

/** What a figure counts, and which direction is better. */
public enum Unit {
    EVENTS_PER_SECOND("events/s", true),
    TRANSACTIONS_PER_SECOND("tx/s", true),
    MILLISECONDS("ms", false),
    QUERIES_PER_SECOND("queries/s", false),
    CPU_MILLIS_PER_1000_EVENTS("CPU ms / 1000 events", false),
    PERCENT_OF_A_CORE("% of a core", false),
    EVENTS("events", false),
    MEGABYTES("MB", false);

    private final String symbol;
    private final boolean higherIsBetter;

    Unit(String symbol, boolean higherIsBetter) {
        this.symbol = symbol;
        this.higherIsBetter = higherIsBetter;
    }

    public String symbol() {
        return symbol;
    }

    public boolean higherIsBetter() {
        return higherIsBetter;
    }
}
