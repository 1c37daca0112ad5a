package outbox.control.http;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.source.Application;
import outbox.doctor.CheckFailedException;
import outbox.doctor.Doctor;

/** Findings of the doctor for an application, cached for half a minute. */
final class DoctorRoutes {
    private static final Duration FRESH = Duration.ofSeconds(30);

    private final ControlCenter center;
    private final Map<String, Examined> latest = new ConcurrentHashMap<>();

    private record Examined(long nanos, Map<String, Object> diagnosis) {
        boolean isFresh() {
            return System.nanoTime() - nanos < FRESH.toNanos();
        }
    }

    DoctorRoutes(ControlCenter center) {
        this.center = center;
    }

    List<Route> routes() {
        return List.of(Route.of(
                "GET",
                "/apps/{app}/doctor",
                Permission.VIEW,
                "Findings about the outbox and its database, with fixes; at most 30 seconds old",
                this::examine));
    }

    private void examine(Exchange exchange) throws IOException {
        Application application = Sources.of(center, exchange).application();
        try {
            exchange.json(
                    200,
                    latest.compute(application.name(), (name, known) -> fresh(application, known))
                            .diagnosis());
        } catch (CheckFailedException e) {
            throw new ApiException(503, "the database of this application is unreachable");
        }
    }

    /** Samples the backlog once: a request cannot wait for a second sample. */
    private static Examined fresh(Application application, @Nullable Examined known) {
        if (known != null && known.isFresh()) {
            return known;
        }
        Doctor doctor = Doctor.of(application.dataSource())
                .table(application.table())
                .consumptionTable(application.consumptionTable())
                .sampleTime(Duration.ZERO);
        if (application.isDeliveredFromLog()) {
            doctor.appendOnly();
        }
        return new Examined(System.nanoTime(), doctor.examine().toMap());
    }
}
