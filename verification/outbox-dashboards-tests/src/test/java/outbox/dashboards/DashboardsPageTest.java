package outbox.dashboards;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The tables of {@code docs/dashboards.md} have every alert with its fault, and every panel with data. */
class DashboardsPageTest {
    @Test
    void theTablesOfTheRunAreComplete() throws IOException {
        String page = Files.readString(RunTables.PAGE);
        assertThat(page).doesNotContain("not seen", "NaN");
        for (String alert : DashboardFiles.alerts()) {
            assertThat(page).contains("| `" + alert + "` | " + PrometheusIT.FAULTS.get(alert) + " | ");
        }
        for (DashboardFiles.Query query : DashboardFiles.queries()) {
            assertThat(page).contains("\n| " + query.panel() + " | ");
        }
    }
}
