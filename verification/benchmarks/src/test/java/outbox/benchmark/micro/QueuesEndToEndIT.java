package outbox.benchmark.micro;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class QueuesEndToEndIT {
    @Test
    void everyCandidateBringsEveryEventThrough() {
        assertThatCode(() -> QueuesEndToEnd.main(new String[] {"1", "20"})).doesNotThrowAnyException();
    }
}
