package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.cdc.CdcFixture.LIMIT;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import outbox.EventEnvelope;

/** A thread that writes events of several aggregates, numbered 1, 2, 3, … in each, until it is stopped. */
final class Load implements AutoCloseable {
    private static final int PER_TRANSACTION = 5;

    private final CdcFixture fixture;
    private final int keys;
    private final AtomicInteger written = new AtomicInteger();
    private final Thread thread = new Thread(this::write, "load");
    private volatile boolean stopped;
    private volatile RuntimeException failure;

    Load(CdcFixture fixture, int keys) {
        this.fixture = fixture;
        this.keys = keys;
        thread.start();
    }

    private void write() {
        try {
            while (!stopped) {
                EventEnvelope[] events = new EventEnvelope[PER_TRANSACTION];
                for (int i = 0; i < PER_TRANSACTION; i++) {
                    int number = written.get() + i;
                    events[i] = CdcFixture.event("key" + number % keys, number / keys + 1);
                }
                fixture.write(events);
                written.addAndGet(PER_TRANSACTION);
            }
        } catch (RuntimeException e) {
            failure = e;
        }
    }

    /** Waits until so many more events were delivered than now. */
    void awaitMore(int count) {
        int goal = fixture.taken.size() + count;
        await().atMost(LIMIT).untilAsserted(() -> assertThat(fixture.taken).hasSizeGreaterThanOrEqualTo(goal));
    }

    void stop() throws InterruptedException {
        stopped = true;
        thread.join();
        if (failure != null) {
            throw failure;
        }
    }

    /** How many events were written and not delivered. */
    long missing() {
        return written.get()
                - fixture.taken.stream().map(EventEnvelope::eventId).distinct().count();
    }

    /** What comes for the first time comes in its order; what comes again has come before. */
    void assertOrder() {
        Map<String, List<Integer>> byKey = new HashMap<>();
        for (EventEnvelope event : fixture.taken) {
            byKey.computeIfAbsent(event.aggregateId(), key -> new ArrayList<>()).add(CdcFixture.numberOf(event));
        }
        byKey.forEach((key, numbers) -> {
            int last = 0;
            for (int number : numbers) {
                assertThat(number).as("%s: %s", key, numbers).isLessThanOrEqualTo(last + 1);
                last = Math.max(last, number);
            }
        });
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        thread.join();
    }
}
