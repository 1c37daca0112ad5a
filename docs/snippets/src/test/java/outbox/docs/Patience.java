package outbox.docs;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** How long snippets wait for what they show: a busy machine is no failure. */
final class Patience {
    private Patience() {}

    static ConditionFactory await() {
        return Awaitility.await().atMost(Duration.ofMinutes(1));
    }
}
