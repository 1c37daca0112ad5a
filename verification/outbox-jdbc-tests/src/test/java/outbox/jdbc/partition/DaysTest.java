package outbox.jdbc.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;
import outbox.jdbc.store.H2OutboxStore;
import outbox.util.Ulid;

class DaysTest {
    private static final LocalDate DAY = LocalDate.of(2026, 11, 16);

    @Test
    void anIdLiesBetweenTheBoundsOfTheDayItWasMadeOn() {
        String first = new Ulid(() -> Instant.parse("2026-11-16T00:00:00Z")).generate();
        String last = new Ulid(() -> Instant.parse("2026-11-16T23:59:59.999Z")).generate();
        assertThat(first).isGreaterThan(Days.bound(DAY));
        assertThat(last).isLessThan(Days.bound(DAY.plusDays(1)));
    }

    @Test
    void namesAreReadBackAndOthersAreNot() {
        assertThat(Days.parse("outbox_event_p", Days.name("outbox_event_p", DAY)))
                .contains(DAY);
        assertThat(Days.parse("Outbox_Event_p", "outbox_event_p20261116")).contains(DAY);
        assertThat(Days.parse("outbox_event_p", "outbox_event_p2026111")).isEmpty();
        assertThat(Days.parse("outbox_event_p", "outbox_event_p20261399")).isEmpty();
        assertThat(Days.parse("outbox_event_p", "outbox_event_pending1")).isEmpty();
    }

    @Test
    void aDatabaseWithoutPartitionsIsRefusedByName() {
        assertThatThrownBy(() -> new H2OutboxStore().dailyPartitions())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("h2 has no partitions");
        assertThatThrownBy(() -> new H2OutboxStore().partitionedSchema()).hasMessageContaining("h2 has no partitions");
    }
}
