package outbox.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The version of the torture that takes about a minute; patient, because a build shares its machine. */
class TortureIT {
    @Test
    void nothingIsLostInTheQuickRun() throws Exception {
        assertPassed("--quick", "--patience", "10");
    }

    @Test
    void nothingIsLostWhenThePrimaryIsKilledAndItsSynchronousStandbyPromoted() throws Exception {
        assertPassed("--failover", "--quick", "--patience", "10");
    }

    private static void assertPassed(String... arguments) throws Exception {
        Options options = Options.parse(arguments);
        assertThat(new Torture(options.in(Path.of("target", "runs"))).run())
                .as("every case passed; the table above tells")
                .isTrue();
    }
}
