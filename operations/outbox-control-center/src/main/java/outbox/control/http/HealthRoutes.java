package outbox.control.http;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import outbox.control.ControlCenter;
import outbox.util.FailureLog;

/** Whether the control center can work, for probes. Databases of applications are not part of it: one may be away. */
final class HealthRoutes {
    static final String PATH = "/health";

    private static final Logger LOG = System.getLogger(HealthRoutes.class.getName());
    /** Anyone can send this request; the database is asked this often at most. */
    private static final Duration FRESH = Duration.ofSeconds(2);

    private final ControlCenter center;
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "checking the control center's database");
    private boolean up; // guarded by this
    private long checkedAt = System.nanoTime() - FRESH.toNanos(); // guarded by this

    HealthRoutes(ControlCenter center) {
        this.center = center;
    }

    List<Route> routes() {
        return List.of(Route.open(
                "GET", PATH, "200 if the control center's own database can be reached, otherwise 503", this::health));
    }

    private void health(Exchange exchange) throws IOException {
        boolean isUp = isUp();
        exchange.json(isUp ? 200 : 503, Map.of("status", isUp ? "up" : "down"));
    }

    private synchronized boolean isUp() {
        if (System.nanoTime() - checkedAt >= FRESH.toNanos()) {
            try {
                center.checkDatabase();
                up = true;
                failures.succeeded();
            } catch (SQLException | RuntimeException e) {
                up = false;
                failures.failed("the control center's database cannot be reached; probes are answered with 503", e);
            }
            checkedAt = System.nanoTime();
        }
        return up;
    }
}
