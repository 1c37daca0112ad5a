package outbox.benchmark.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundedMemoryIT {
    @Test
    void twoHundredThousandEventsOfOneKilobytePassThroughAHeapOf64Megabytes() throws Exception {
        assertThat(BoundedMemory.run(200_000)).isZero();
    }
}
