package outbox.control.http;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import outbox.control.ControlCenter;
import outbox.control.access.Permission;
import outbox.control.source.ScheduledJobs;

/** The jobs of an application at its scheduler. */
final class JobRoutes {
    private static final Logger LOG = System.getLogger(JobRoutes.class.getName());

    private final ControlCenter center;
    private final AuditTrail trail;

    JobRoutes(ControlCenter center, AuditTrail trail) {
        this.center = center;
        this.trail = trail;
    }

    List<Route> routes() {
        List<Route> routes = new ArrayList<>();
        routes.add(Route.of(
                "GET",
                "/apps/{app}/jobs",
                Permission.VIEW,
                "Jobs of the application at the XXL-Job admin",
                this::list));
        if (!center.isReadOnly()) {
            routes.add(change(ScheduledJobs.Act.START, "Starts a job: the admin runs it at its times"));
            routes.add(change(ScheduledJobs.Act.STOP, "Stops a job: the admin no longer runs it at its times"));
            routes.add(change(ScheduledJobs.Act.TRIGGER, "Runs a job once, now"));
        }
        return routes;
    }

    private Route change(ScheduledJobs.Act act, String summary) {
        return Route.of(
                "POST",
                "/apps/{app}/jobs/{id}/" + verb(act),
                Permission.ACT,
                summary,
                exchange -> perform(exchange, act));
    }

    private static String verb(ScheduledJobs.Act act) {
        return act.name().toLowerCase(Locale.ROOT);
    }

    private ScheduledJobs jobs(Exchange exchange) {
        ScheduledJobs jobs = Sources.of(center, exchange).application().jobs();
        if (jobs == null) {
            throw new ApiException(404, "no XXL-Job admin is configured for this application");
        }
        return jobs;
    }

    private void list(Exchange exchange) throws IOException {
        exchange.json(200, Map.of("jobs", read(jobs(exchange))));
    }

    private void perform(Exchange exchange, ScheduledJobs.Act act) throws IOException, SQLException {
        ScheduledJobs jobs = jobs(exchange);
        String id = exchange.path("id");
        String reason = exchange.reason();
        ScheduledJobs.Job job = read(jobs).stream()
                .filter(one -> one.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new ApiException(404, "there is no job '" + id + "'"));
        try {
            jobs.perform(act, job);
        } catch (ScheduledJobs.UnavailableException e) {
            throw unavailable(e);
        }
        trail.add(exchange, "job." + verb(act), exchange.path("app"), job.handler(), "ok", reason);
        exchange.json(200, Map.of("job", id, "handler", job.handler()));
    }

    private static List<ScheduledJobs.Job> read(ScheduledJobs jobs) {
        try {
            return jobs.list();
        } catch (ScheduledJobs.UnavailableException e) {
            throw unavailable(e);
        }
    }

    private static ApiException unavailable(ScheduledJobs.UnavailableException e) {
        LOG.log(Level.WARNING, e.getMessage());
        return new ApiException(502, String.valueOf(e.getMessage()));
    }
}
