package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SharedServerTest {

    @Test
    void aStartThatFailedIsNotRepeated() {
        AtomicInteger starts = new AtomicInteger();
        SharedServer shared = new SharedServer(() -> {
            starts.incrementAndGet();
            throw new IllegalStateException("disk full");
        });

        assertThatThrownBy(shared::get).hasMessage("disk full");
        assertThatThrownBy(shared::get)
                .hasMessageContaining("failed to start earlier")
                .hasMessageContaining("disk full");
        assertThat(starts).hasValue(1);
    }
}
