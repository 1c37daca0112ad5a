package outbox.benchmark.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import outbox.benchmark.BenchServer;

class LargePayloadIT {
    @Test
    void aPayloadLargerThanTheHeapComesThrough() throws Exception {
        assertThat(LargePayload.run(BenchServer.Kind.POSTGRESQL, 80, 24)).isZero();
    }
}
