package outbox.control.http;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.control.ControlCenter;
import outbox.control.access.Operator;
import outbox.control.access.Permission;
import outbox.control.live.HistoryPoint;
import outbox.control.live.Sample;
import outbox.control.remote.RemoteSource;

/**
 * All applications of a user, one line each. It reads only samples and history, so that an application whose database
 * is unreachable does not delay the others.
 */
final class ApplicationRoutes {
    private static final Duration SPARKLINE = Duration.ofHours(1);

    private final ControlCenter center;

    ApplicationRoutes(ControlCenter center) {
        this.center = center;
    }

    /** Open to every user: it shows the applications a user may see, if any. */
    List<Route> routes() {
        return List.of(Route.open(
                "GET", "/apps", "The metrics of every application the user may see, one line each", this::list));
    }

    private void list(Exchange exchange) throws IOException, SQLException {
        Operator operator = exchange.operator();
        List<Map<String, @Nullable Object>> lines = new ArrayList<>();
        for (ControlCenter.Source source : center.sources()) {
            if (operator.may(Permission.VIEW, source.application().name())) {
                lines.add(line(source));
            }
        }
        for (RemoteSource remote : center.remotes()) {
            if (operator.may(Permission.VIEW, remote.application().name())) {
                lines.add(line(remote));
            }
        }
        lines.sort(Comparator.comparing(line -> String.valueOf(line.get("name"))));
        exchange.json(200, Map.of("applications", lines));
    }

    /** From the latest poll: an application that is away shows its last metrics and the problem. */
    private Map<String, @Nullable Object> line(RemoteSource remote) {
        RemoteSource.Snapshot latest = remote.latest();
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("name", remote.application().name());
        line.put("database", latest.database());
        line.put("deliveredFromLog", latest.isDeliveredFromLog());
        line.put(
                "announced",
                center.remoteSources().isAnnounced(remote.application().name()));
        line.put("problem", remote.problem());
        line.put("sample", latest.sample());
        line.put("successPercent", latest.line().get("successPercent"));
        line.put(
                "deliveredPerMinute",
                latest.line().get("deliveredPerMinute") instanceof List<?> minutes ? minutes : List.of());
        return line;
    }

    private Map<String, @Nullable Object> line(ControlCenter.Source source) throws SQLException {
        String name = source.application().name();
        Sample last = source.sampler().last();
        Map<String, @Nullable Object> line = new LinkedHashMap<>();
        line.put("name", name);
        line.put("database", source.application().flavor().database());
        line.put("deliveredFromLog", source.application().isDeliveredFromLog());
        line.put("announced", false);
        line.put("problem", source.sampler().problem());
        line.put("sample", last);
        line.put("successPercent", last == null ? null : last.successPercent());
        line.put(
                "deliveredPerMinute",
                center.history().range(name, SPARKLINE, last == null ? Instant.now() : last.at()).points().stream()
                        .map(HistoryPoint::delivered)
                        .toList());
        return line;
    }
}
