package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.control.alert.AlertMetric;
import outbox.doctor.Finding;

/** Every finding and every alert has its runbook, and every runbook is reached by one of them. */
class RunbooksTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", ".")).resolve("../..").normalize();
    private static final Path RUNBOOKS = ROOT.resolve("docs/runbooks");
    private static final Pattern FINDING = Pattern.compile("\\[doctor]\\(\\.\\./doctor\\.md\\) \\(`([a-z-]+)`\\)");
    private static final Pattern RULE = Pattern.compile("\\(\\*([a-z ]+)\\*\\)");
    private static final Pattern ALERT = Pattern.compile("\\(`(Outbox\\w+)`\\)");

    private record PrometheusAlert(String name, String page) {}

    @Test
    void everyFindingAndEveryAlertHasAPageAndNoPageIsLeftOver() throws IOException {
        Set<String> reported = new TreeSet<>(Finding.codes());
        Arrays.stream(AlertMetric.values()).map(RunbooksTest::pageOf).forEach(reported::add);
        prometheusAlerts().forEach(alert -> reported.add(alert.page()));
        assertThat(pages()).isEqualTo(reported);
    }

    @Test
    void aPageNamesWhoReportsIt() throws IOException {
        Page alerts = new Page(ROOT.resolve("docs/alerts.md"), Files.readString(ROOT.resolve("docs/alerts.md")));
        for (String page : pages()) {
            String reporters = reporters(page);
            assertThat(found(FINDING, reporters))
                    .as("findings that lead to %s", page)
                    .isEqualTo(Finding.codes().contains(page) ? List.of(page) : List.of());
            assertThat(found(ALERT, reporters))
                    .as("alerts of Prometheus that lead to %s", page)
                    .containsExactlyElementsOf(prometheusAlerts().stream()
                            .filter(alert -> alert.page().equals(page))
                            .map(PrometheusAlert::name)
                            .toList());
            assertThat(found(RULE, reporters))
                    .as("rules of the control center that lead to %s", page)
                    .hasSize((int) Arrays.stream(AlertMetric.values())
                            .filter(metric -> pageOf(metric).equals(page))
                            .count())
                    .allSatisfy(rule -> assertThat(alerts.firstCells()).contains(rule));
        }
    }

    @Test
    void everyPageAnswersTheSameFourQuestions() throws IOException {
        for (String page : pages()) {
            String text = text(page);
            assertThat(text).startsWith("# " + page + ": ");
            assertThat(text.lines().filter(line -> line.startsWith("## ")))
                    .as(page)
                    .containsExactly(
                            "## What it means", "## How to look", "## What to do", "## How to know that it is over");
            assertThat(text.lines()).as("%s is short", page).hasSizeLessThan(70);
        }
    }

    @Test
    void theIndexListsEveryPage() throws IOException {
        Page index = new Page(RUNBOOKS.resolve("README.md"), text("README"));
        assertThat(index.localLinks())
                .containsAll(pages().stream().map(page -> page + ".md").toList());
    }

    /** The control center serves them from its jar. */
    @Test
    void theControlCenterHasEveryPage() throws IOException {
        for (String page : pages()) {
            assertThat(AlertMetric.class.getResource("/outbox/control/ui/runbooks/" + page + ".md"))
                    .as(page)
                    .isNotNull();
        }
    }

    @Test
    void thePageOfTheDoctorListsEveryFinding() throws IOException {
        String doctor = Files.readString(ROOT.resolve("docs/doctor.md"));
        assertThat(Finding.codes()).allSatisfy(code -> assertThat(doctor).contains("`" + code + "`"));
    }

    private static String pageOf(AlertMetric metric) {
        return metric.runbook().replaceAll("^runbooks/|\\.md$", "");
    }

    private static List<PrometheusAlert> prometheusAlerts() throws IOException {
        Path rules = ROOT.resolve("operations/dashboards/outbox-alerts.yml");
        return Pattern.compile("- alert: (\\w+).*?runbook_url: \\S+/runbooks/([a-z-]+)\\.md", Pattern.DOTALL)
                .matcher(Files.readString(rules))
                .results()
                .map(alert -> new PrometheusAlert(alert.group(1), alert.group(2)))
                .toList();
    }

    private static Set<String> pages() throws IOException {
        try (Stream<Path> files = Files.list(RUNBOOKS)) {
            Set<String> pages = new TreeSet<>();
            files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("README.md"))
                    .forEach(name -> pages.add(name.replaceFirst("\\.md$", "")));
            return pages;
        }
    }

    private static String reporters(String page) throws IOException {
        String text = text(page);
        return text.substring(text.indexOf("Reported by "), text.indexOf("## What it means"));
    }

    private static List<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(match -> match.group(1)).toList();
    }

    private static String text(String page) throws IOException {
        return Files.readString(RUNBOOKS.resolve(page + ".md"));
    }
}
