package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.control.alert.AlertMetric;
import outbox.doctor.Finding;
import outbox.doctor.Severity;

/** Every finding and every alert leads to its runbook, and every runbook is reached by one of them. */
class RunbooksTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", ".")).resolve("../..").normalize();
    private static final Path RUNBOOKS = ROOT.resolve("docs/runbooks");
    private static final Pattern FINDING = Pattern.compile("\\[doctor]\\(\\.\\./doctor\\.md\\) \\(`([a-z-]+)`\\)");
    private static final Pattern SEVERITY = Pattern.compile("\n +severity: (\\w+)");
    private static final Pattern LABEL = Pattern.compile("\n +finding: ([a-z-]+)");
    private static final Pattern URL = Pattern.compile("\n +runbook_url: \\S+/runbooks/([a-z-]+)\\.md");
    private static final Pattern RULE = Pattern.compile("\\(\\*([a-z ]+)\\*\\)");
    private static final Pattern ALERT = Pattern.compile("\\(`(Outbox\\w+)`\\)");

    private record PrometheusAlert(String name, String severity, Optional<String> finding, String page) {}

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

    /** The label is what a notification shows, and what an operator gives to the doctor. */
    @Test
    void anAlertCarriesTheFindingOfTheSameProblem() throws IOException {
        for (PrometheusAlert alert : prometheusAlerts()) {
            assertThat(alert.finding())
                    .as(alert.name())
                    .isEqualTo(Optional.of(alert.page()).filter(Finding.codes()::contains));
        }
    }

    @Test
    void thePageOfTheDashboardsListsEveryAlertWithItsSeverityAndItsRunbook() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/dashboards.md"));
        for (PrometheusAlert alert : prometheusAlerts()) {
            assertThat(page)
                    .containsPattern("\\| `%s` \\| .+ \\| %s \\| \\[%s]\\(runbooks/%s\\.md\\) \\|"
                            .formatted(alert.name(), alert.severity(), alert.page(), alert.page()));
        }
    }

    @Test
    void linksOfTheDashboardLeadToPages() throws IOException {
        List<String> linked = found(
                Pattern.compile("/outbox/runbooks/([a-z-]+)\\.md"),
                Files.readString(ROOT.resolve("operations/dashboards/outbox-dashboard.json")));
        assertThat(linked).hasSizeGreaterThan(5);
        assertThat(pages()).containsAll(linked);
    }

    /** In text and JSON as {@link Finding#runbook()}, which is a path in the repository. */
    @Test
    void theDoctorNamesThePageOfEachFinding() {
        for (String code : Finding.codes()) {
            Finding finding = new Finding(code, Severity.WARNING, "seen", "why", "fix", null);
            assertThat(ROOT.resolve(finding.runbook())).isRegularFile();
        }
    }

    /** The address that the page builds of a code; that it is served is shown for each page below. */
    @Test
    void theConsoleLinksThePageOfAFindingAndOfAnAlert() throws IOException {
        Path ui = ROOT.resolve("operations/outbox-control-center/src/main/resources/outbox/control/ui");
        assertThat(Files.readString(ui.resolve("overview-cards.js"))).contains("`runbooks/${finding.code}.md`");
        assertThat(Files.readString(ui.resolve("alerts.js")))
                .contains("const rule = rules[a.ruleId];")
                .contains("href: rule.runbook");
        for (AlertMetric metric : AlertMetric.values()) {
            assertThat(AlertMetric.class.getResource("/outbox/control/ui/" + metric.runbook()))
                    .as(metric.key())
                    .isNotNull();
        }
    }

    /** Somebody who was woken up wants to know whether it can wait. */
    @Test
    void everyPageSaysWhetherItCanWait() throws IOException {
        for (String page : pages()) {
            assertThat(text(page)).as(page).containsPattern("\n\\*\\*(Now|Today|This week)\\.\\*\\* ");
        }
    }

    @Test
    void anAlertIsCriticalWhereItsPageSaysNow() throws IOException {
        for (PrometheusAlert alert : prometheusAlerts()) {
            assertThat(alert.severity())
                    .as(alert.name())
                    .isEqualTo(text(alert.page()).contains("\n**Now.** ") ? "critical" : "warning");
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
        assertThat(Finding.codes())
                .allSatisfy(code -> assertThat(doctor).contains("[`" + code + "`](runbooks/" + code + ".md)"));
    }

    private static String pageOf(AlertMetric metric) {
        return metric.runbook().replaceAll("^runbooks/|\\.md$", "");
    }

    private static List<PrometheusAlert> prometheusAlerts() throws IOException {
        Path rules = ROOT.resolve("operations/dashboards/outbox-alerts.yml");
        return Arrays.stream(Files.readString(rules).split("\n +- alert: "))
                .skip(1)
                .map(rule -> new PrometheusAlert(
                        rule.lines().findFirst().orElseThrow(),
                        found(SEVERITY, rule).get(0),
                        found(LABEL, rule).stream().findFirst(),
                        found(URL, rule).get(0)))
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
