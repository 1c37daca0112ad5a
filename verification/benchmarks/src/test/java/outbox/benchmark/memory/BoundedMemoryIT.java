package outbox.benchmark.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** As {@code ./benchmark memory}, with fewer events and a heap that is smaller in the same measure. */
class BoundedMemoryIT {
    @Test
    void threeTimesAsManyBytesAsTheHeapHasPassThroughIt() throws Exception {
        assertThat(BoundedMemory.run(75_000, 24)).isZero();
    }
}
