package outbox.dashboards;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The files of {@code operations/dashboards}. */
final class DashboardFiles {
    static final Path DIRECTORY = Path.of(System.getProperty("basedir", "."))
            .resolve("../../operations/dashboards")
            .normalize();
    static final Path RULES = DIRECTORY.resolve("outbox-alerts.yml");
    static final Path RULES_TEST = DIRECTORY.resolve("outbox-alerts-test.yml");
    static final Path DASHBOARD = DIRECTORY.resolve("outbox-dashboard.json");

    private DashboardFiles() {}

    /** One query of a panel. */
    record Query(String panel, String expression) {
        /** As Grafana would send it, with all applications and nodes chosen. */
        String resolved() {
            return expression.replace("$job", ".+").replace("$instance", ".+").replace("$__rate_interval", "1m");
        }

        @Override
        public String toString() {
            return panel + ": " + expression;
        }
    }

    static JsonNode dashboard() throws IOException {
        return JsonMapper.shared().readTree(Files.readString(DASHBOARD));
    }

    static List<Query> queries() throws IOException {
        List<Query> queries = new ArrayList<>();
        for (JsonNode panel : dashboard().path("panels")) {
            for (JsonNode target : panel.path("targets")) {
                queries.add(new Query(
                        panel.path("title").asString(), target.path("expr").asString()));
            }
        }
        return queries;
    }

    static List<String> alerts() throws IOException {
        return Pattern.compile("- alert: (\\w+)")
                .matcher(Files.readString(RULES))
                .results()
                .map(alert -> alert.group(1))
                .toList();
    }
}
