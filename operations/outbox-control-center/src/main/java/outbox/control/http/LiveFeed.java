package outbox.control.http;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a live stream shows: samples of an application, and why there are none. */
interface LiveFeed {
    /** @param sample as it is sent to pages */
    record Latest(Instant at, Object sample) {}

    /** @return {@code null} if no newer sample arrived in time, or there is a problem other than {@code known} */
    @Nullable
    Latest next(@Nullable Instant seen, @Nullable String known, Duration timeout) throws InterruptedException;

    @Nullable
    String problem();

    boolean isClosed();
}
