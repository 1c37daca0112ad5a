package outbox.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The version of the torture that takes about a minute; patient, because a build shares its machine. */
class TortureIT {
    @Test
    void nothingIsLostInTheQuickRun() throws Exception {
        Options options = Options.parse(new String[] {"--quick", "--patience", "10"});
        assertThat(new Torture(options.in(Path.of("target", "runs"))).run())
                .as("every case passed; the table above tells")
                .isTrue();
    }
}
