package outbox.dashboards;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What a run of {@link PrometheusIT} saw, for {@code docs/dashboards.md}. */
final class RunTables {
    static final Path PAGE = DashboardFiles.DIRECTORY.resolve("../../docs/dashboards.md");
    private static final Pattern PART = Pattern.compile("(?s)(<!-- run: PrometheusIT -->\n).*?(<!-- end of run -->)");

    private final Map<String, String> messages = new ConcurrentHashMap<>();
    private final Map<DashboardFiles.Query, Double> values = new ConcurrentHashMap<>();

    void fired(String alert, String message) {
        messages.put(alert, message);
    }

    void had(DashboardFiles.Query query, double highest) {
        values.put(query, highest);
    }

    /** Prints both tables; with {@code -Ddocs.update} they become those of the page. */
    void write() throws IOException {
        List<String> lines =
                new ArrayList<>(List.of("| alert | provoked by | its message in this run |", "| --- | --- | --- |"));
        for (String alert : DashboardFiles.alerts()) {
            lines.add("| `%s` | %s | %s |"
                    .formatted(alert, PrometheusIT.FAULTS.get(alert), messages.getOrDefault(alert, "not seen")));
        }
        lines.addAll(List.of("", "| panel | highest value of each of its queries in this run |", "| --- | --- |"));
        for (Map.Entry<String, List<DashboardFiles.Query>> panel : panels().entrySet()) {
            lines.add("| %s | %s |"
                    .formatted(
                            panel.getKey(),
                            panel.getValue().stream()
                                    .map(query -> text(values.getOrDefault(query, Double.NaN)))
                                    .collect(Collectors.joining(", "))));
        }
        String tables = String.join("\n", lines);
        System.out.println(tables);
        if (Boolean.getBoolean("docs.update")) {
            Files.writeString(
                    PAGE,
                    PART.matcher(Files.readString(PAGE))
                            .replaceFirst(
                                    part -> Matcher.quoteReplacement(part.group(1) + tables + "\n" + part.group(2))));
        }
    }

    private static Map<String, List<DashboardFiles.Query>> panels() throws IOException {
        return DashboardFiles.queries().stream()
                .collect(Collectors.groupingBy(DashboardFiles.Query::panel, TreeMap::new, Collectors.toList()));
    }

    private static String text(double value) {
        return value >= 100 || value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,.0f", value).replace(',', ' ')
                : String.format(Locale.ROOT, "%.2g", value);
    }
}
