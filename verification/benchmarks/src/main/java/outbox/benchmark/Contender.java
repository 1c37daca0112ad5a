package outbox.benchmark;

import java.sql.SQLException;

/** A delivery engine that can be measured on equal work: this project or a peer. */
public interface Contender {
    /** As in the scenario's id: one word. */
    String id();

    /** Name and version as they are to be shown. */
    String title();

    /** How it is set up, and what must be known to read its figures. */
    String remarks();

    /** Makes its tables. */
    void createTables(BenchDatabase database) throws SQLException;

    /** Empties its tables. */
    void clear(BenchDatabase database) throws SQLException;

    /**
     * Puts events into the table that nobody delivers until an engine starts.
     *
     * @throws NotAvailable if the contender has no such concept
     */
    void seed(BenchDatabase database, int events) throws Exception;

    /**
     * Starts delivering.
     *
     * @param listener called once for each delivery, on any thread
     */
    Engine start(BenchDatabase database, Runnable listener) throws Exception;

    /** A contender at work. */
    interface Engine extends AutoCloseable {
        /** One business transaction that writes one event; returns after the commit. Thread-safe. */
        void write(int number) throws Exception;

        /** How many events are in the table that are not recorded as processed; may be expensive. */
        long unsettled() throws Exception;

        @Override
        void close();
    }
}
