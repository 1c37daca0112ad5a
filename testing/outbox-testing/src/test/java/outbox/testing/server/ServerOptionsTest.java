package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServerOptionsTest {

    @Test
    void optionsAreImmutable() {
        ServerOptions changed =
                ServerOptions.defaults().with("wal_level", "logical").withStartTimeout(Duration.ofSeconds(5));

        assertThat(changed.settings()).containsEntry("wal_level", "logical");
        assertThat(changed.startTimeout()).hasSeconds(5);
        assertThat(ServerOptions.defaults().settings()).isEmpty();
        assertThat(ServerOptions.defaults().startTimeout()).isEqualTo(ServerOptions.DEFAULT_START_TIMEOUT);
    }

    @Test
    void aSettingThatIsNoNameIsRefused() {
        assertThatThrownBy(() -> ServerOptions.defaults().with("--port", "1")).hasMessageContaining("--port");
    }

    @Test
    void aTimeoutOfNothingIsRefused() {
        assertThatThrownBy(() -> ServerOptions.defaults().withStartTimeout(Duration.ZERO))
                .hasMessageContaining("positive");
    }
}
