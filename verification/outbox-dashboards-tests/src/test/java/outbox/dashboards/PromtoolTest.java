package outbox.dashboards;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Not run where Prometheus is not installed, unless {@code -Doutbox.test.required=prometheus} asks for it. */
class PromtoolTest {
    @BeforeAll
    static void needsPrometheus() {
        InstalledPrometheus.require();
    }

    @Test
    void theRulesAreValid() throws Exception {
        assertThat(promtool("check", "rules", DashboardFiles.RULES)).contains("SUCCESS");
    }

    @Test
    void eachRuleFiresWhenItShouldAndOnlyThen() throws Exception {
        assertThat(promtool("test", "rules", DashboardFiles.RULES_TEST)).contains("SUCCESS");
    }

    @Test
    void eachRuleIsTested() throws Exception {
        String tests = Files.readString(DashboardFiles.RULES_TEST);
        assertThat(DashboardFiles.alerts())
                .hasSizeGreaterThan(5)
                .allSatisfy(alert -> assertThat(tests).containsPattern("alertname: " + alert + "\\n +exp_alerts:"));
    }

    private static String promtool(String command, String what, Path file) throws Exception {
        Process process = new ProcessBuilder(
                        InstalledPrometheus.program("promtool").toString(), command, what, file.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
