package outbox.dashboards;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.spi.BreakerState;
import outbox.spi.MetricsExporter;
import tools.jackson.databind.JsonNode;

/** The names in the files are those of the code, and what the code measures is in the files. */
class MetricNamesTest {
    /** Not in the dashboard: the specification's figure, of the last poll only; the age of the oldest event says it better. */
    private static final Set<String> LEFT_OUT = Set.of("outbox_lag_oldest_ms");

    private static final Pattern USED = Pattern.compile("\\boutbox_[a-z_]+");
    private static String scraped;

    /** Calls every method, so that every meter exists. */
    @BeforeAll
    static void measureEverything() throws ReflectiveOperationException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        MetricsExporter exporter = new MicrometerMetricsExporter(registry);
        for (Method method : MetricsExporter.class.getMethods()) {
            if (!Modifier.isStatic(method.getModifiers())) {
                method.invoke(
                        exporter,
                        Arrays.stream(method.getParameterTypes())
                                .map(MetricNamesTest::anyValue)
                                .toArray());
            }
        }
        scraped = registry.scrape();
    }

    private static Object anyValue(Class<?> type) {
        if (type == int.class) {
            return 1;
        } else if (type == long.class) {
            return 1L;
        } else if (type == Duration.class) {
            return Duration.ofSeconds(1);
        } else if (type == BreakerState.class) {
            return BreakerState.OPEN;
        } else if (type == String.class) {
            return "x";
        }
        throw new AssertionError("MetricsExporter has a parameter of a new type, " + type);
    }

    @Test
    void everyNameThatIsUsedExists() throws IOException {
        Set<String> samples = found(Pattern.compile("(?m)^(outbox_[a-z_]+)"), scraped);
        assertThat(samples).hasSizeGreaterThan(20);
        for (Path file : List.of(DashboardFiles.DASHBOARD, DashboardFiles.RULES, DashboardFiles.RULES_TEST)) {
            assertThat(samples).as("names in %s", file).containsAll(used(file));
        }
    }

    @Test
    void everyMeterIsOnTheDashboardOrLeftOutOnPurpose() throws IOException {
        Set<String> used = used(DashboardFiles.DASHBOARD);
        Set<String> families = found(Pattern.compile("(?m)^# TYPE (outbox_\\w+)"), scraped);
        Set<String> unused = new TreeSet<>(families);
        unused.removeIf(family -> family.endsWith("_max") && families.contains(family.replaceFirst("_max$", "")));
        unused.removeIf(family -> used.stream().anyMatch(name -> name.matches(family + "(_bucket|_count|_sum)?")));
        assertThat(unused).isEqualTo(LEFT_OUT);
    }

    @Test
    void labelsThatAreUsedExist() throws IOException {
        for (String label :
                found(Pattern.compile("by \\(([a-z_, ]+)\\)"), Files.readString(DashboardFiles.DASHBOARD))) {
            if (!Set.of("instance", "le").contains(label)) {
                assertThat(scraped).as("label %s", label).contains(label + "=\"");
            }
        }
    }

    @Test
    void panelsHaveAPlaceOfTheirOwnAndSayWhatTheyShow() throws IOException {
        Set<String> places = new TreeSet<>();
        Set<Integer> ids = new TreeSet<>();
        for (JsonNode panel : DashboardFiles.dashboard().path("panels")) {
            String title = panel.path("title").asString();
            assertThat(ids.add(panel.path("id").asInt())).as("id of %s", title).isTrue();
            JsonNode place = panel.path("gridPos");
            int right = place.path("x").asInt() + place.path("w").asInt();
            assertThat(right).as(title).isLessThanOrEqualTo(24);
            for (int x = place.path("x").asInt(); x < right; x++) {
                for (int y = place.path("y").asInt();
                        y < place.path("y").asInt() + place.path("h").asInt();
                        y++) {
                    assertThat(places.add(x + "," + y)).as("%s overlaps", title).isTrue();
                }
            }
            if (!panel.path("type").asString().equals("row")) {
                assertThat(panel.path("description").asString()).as(title).isNotBlank();
                assertThat(panel.at("/fieldConfig/defaults/unit").asString())
                        .as(title)
                        .isNotBlank();
                assertThat(panel.path("targets")).as(title).isNotEmpty();
            }
        }
    }

    private static Set<String> used(Path file) throws IOException {
        return found(Pattern.compile("(" + USED + ")"), Files.readString(file));
    }

    private static Set<String> found(Pattern pattern, String text) {
        Set<String> names = new TreeSet<>();
        pattern.matcher(text).results().forEach(match -> names.add(match.group(1)));
        return names;
    }
}
