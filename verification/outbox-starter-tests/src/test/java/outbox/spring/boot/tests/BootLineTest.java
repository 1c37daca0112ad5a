package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;

/** B8: the same sources are meant to run on two lines of Boot; this says which one it is. */
class BootLineTest {
    @Test
    void runsOnTheLineTheModuleIsFor() {
        assertThat(SpringBootVersion.getVersion()).isEqualTo(System.getProperty("expected.boot.version"));
    }
}
