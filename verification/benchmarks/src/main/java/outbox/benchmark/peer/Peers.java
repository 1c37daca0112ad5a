package outbox.benchmark.peer;

/** What is the same for all peers. */
final class Peers {
    /** Threads that call the handler. */
    static final int THREADS = 8;
    /** How many events are seeded in one transaction. */
    static final int SEED_BATCH = 500;

    private Peers() {}
}
