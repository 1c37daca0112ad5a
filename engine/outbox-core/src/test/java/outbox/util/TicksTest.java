package outbox.util;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TicksTest {
    @ParameterizedTest
    @MethodSource
    void theSystemsClockInWhateverFormDoesNotJump(InstantSource clock) {
        long before = System.nanoTime();
        long ticks = Ticks.of(clock).getAsLong();
        assertThat(ticks - before).isBetween(0L, TimeUnit.MINUTES.toNanos(1));
    }

    static InstantSource[] theSystemsClockInWhateverFormDoesNotJump() {
        return new InstantSource[] {
            Ticks.systemClock(),
            InstantSource.system(),
            Clock.systemUTC(),
            Clock.systemDefaultZone(),
            Clock.system(ZoneId.of("Asia/Shanghai"))
        };
    }

    @Test
    void anotherClockIsFollowed() {
        Clock fixed = Clock.fixed(java.time.Instant.ofEpochSecond(5), ZoneOffset.UTC);
        LongSupplier ticks = Ticks.of(fixed);
        assertThat(ticks.getAsLong()).isEqualTo(Duration.ofSeconds(5).toNanos());
    }
}
