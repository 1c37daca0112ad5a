package outbox.benchmark;

import java.util.List;

/**
 * One thing that is measured. A new one is a class that implements this and a line in {@link Catalog}.
 *
 * <p>All scenarios of a run are set up first; then their rounds alternate. Between its rounds a scenario must be
 * silent: no thread of it may touch the database. It is used by one thread.
 */
public interface Scenario extends AutoCloseable {
    /** Short and unique, such as {@code outbox-hot}; its first or last word can be asked for on the command line. */
    String id();

    /** One line that says what a round does. */
    String title();

    /**
     * Once, before all rounds: databases, tables, data that all rounds share.
     *
     * @throws NotAvailable if this cannot be measured here; the report shows the reason
     */
    void setUp(Bench bench) throws Exception;

    /**
     * Measures once.
     *
     * @param scale how much to do; a warm-up round gets a smaller one
     */
    List<Measurement> round(Scale scale) throws Exception;

    /** Once, after all rounds, also if {@link #setUp} failed. */
    @Override
    default void close() {}
}
