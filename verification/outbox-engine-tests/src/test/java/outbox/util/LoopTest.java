package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.RecordedLogs;

@Timeout(20)
class LoopTest {
    @Test
    void whateverATurnThrowsIsLoggedAsSevereAndTheNextOneRuns() throws Exception {
        AtomicInteger turns = new AtomicInteger();
        try (RecordedLogs logs = new RecordedLogs()) {
            Loop loop = new Loop("test loop", new DaemonThreadFactory("loop-"), () -> switch (turns.incrementAndGet()) {
                        case 1 -> throw new IllegalStateException("first");
                        case 2 -> throw new StackOverflowError("second");
                        default -> false;
                    })
                    .start();
            assertThat(loop.awaitEnd(TimeUnit.SECONDS.toNanos(10))).isTrue();
            assertThat(logs.of(Loop.class, Level.SEVERE))
                    .hasSize(2)
                    .allMatch(message -> message.startsWith("test loop failed in one turn and goes on"));
        }
        assertThat(turns).hasValue(3);
    }
}
