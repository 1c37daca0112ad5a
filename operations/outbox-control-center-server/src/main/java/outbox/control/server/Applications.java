package outbox.control.server;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import outbox.control.source.Application;

/** The applications with their pools, which end together. */
final class Applications implements AutoCloseable {
    private final List<Application> all = new ArrayList<>();
    private final List<HikariDataSource> pools = new ArrayList<>();

    void add(HikariDataSource pool, Application application) {
        pools.add(pool);
        all.add(application);
    }

    List<Application> all() {
        return all;
    }

    /** All at once: a pool waits for its attempts to connect, which last as long as a database does not answer. */
    @Override
    public void close() {
        pools.parallelStream().forEach(HikariDataSource::close);
    }
}
