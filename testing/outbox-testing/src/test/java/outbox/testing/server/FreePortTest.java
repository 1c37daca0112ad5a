package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FreePortTest {

    /** Of so many at random, two would be the same. */
    @Test
    void noPortIsFoundTwice() {
        assertThat(IntStream.range(0, 500).map(i -> FreePort.find())).doesNotHaveDuplicates();
    }
}
