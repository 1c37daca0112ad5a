package outbox.torture.worker;

/** What a case can choose about a node, with the value it has otherwise. */
public enum Setting {
    JDBC_URL(""),
    USER(""),
    PASSWORD(""),
    /** Name of this life of the node: the first part of {@code locked_by}. */
    NODE("node"),
    /** File the node appends to. */
    LEDGER(""),
    LEASE_MS("2000"),
    POLL_MS("250"),
    WORKERS("4"),
    HOT_CAPACITY("1000"),
    COLD_CAPACITY("1000"),
    POOL("10"),
    /** How long the pool lets somebody wait for a connection. */
    CONNECTION_MS("2000"),
    /** How long the pool waits for an answer of an idle connection. */
    VALIDATION_MS("1000"),
    /** Connections the pool keeps open at least. */
    IDLE("2"),
    /** Threads that write business rows and events. */
    WRITERS("2"),
    /** Transactions each of them begins in a second. */
    RATE("60"),
    /** How many aggregates the writers choose from. */
    KEYS("8"),
    ORDERED("false"),
    MAX_ATTEMPTS("10"),
    RETRY_MS("200"),
    /** How long the listener takes. */
    LISTENER_MS("0"),
    /** After what time a listener counts as hung. */
    TIME_LIMIT_MS("600000"),
    /** Minutes by which the clock of this node is wrong, for the engine and for the business. */
    CLOCK_MINUTES("0"),
    /** Every renewal of a lease fails. */
    NO_RENEWAL("false"),
    /** The writers mix in events that cannot be delivered. */
    POISON("false"),
    /** The writers mix in events whose listener uses up the memory. */
    MEMORY_HUNGER("false"),
    /** Terminal rows older than this are purged, again and again; 0 for never. */
    RETENTION_MINUTES("0"),
    /** How long a graceful end may take. */
    DRAIN_MS("5000");

    private final String usual;

    Setting(String usual) {
        this.usual = usual;
    }

    String usual() {
        return usual;
    }
}
