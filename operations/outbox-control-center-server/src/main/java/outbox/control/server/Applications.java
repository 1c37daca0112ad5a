package outbox.control.server;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.List;
import outbox.control.remote.RemoteApplication;
import outbox.control.source.Application;

/** The applications and their connection pools, which are closed together. */
final class Applications implements AutoCloseable {
    private final List<Application> all = new ArrayList<>();
    private final List<RemoteApplication> overHttp = new ArrayList<>();
    private final List<HikariDataSource> pools = new ArrayList<>();

    void add(HikariDataSource pool, Application application) {
        pools.add(pool);
        all.add(application);
    }

    void add(RemoteApplication application) {
        overHttp.add(application);
    }

    List<Application> all() {
        return all;
    }

    List<RemoteApplication> overHttp() {
        return overHttp;
    }

    boolean isEmpty() {
        return all.isEmpty() && overHttp.isEmpty();
    }

    /** Closes the pools in parallel: a pool waits for pending connection attempts to an unreachable database. */
    @Override
    public void close() {
        pools.parallelStream().forEach(HikariDataSource::close);
    }
}
