package outbox.idempotency;

import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.InMemoryConsumptionTracker;

class InMemoryConsumptionTrackerTest extends EventConsumptionTrackerContract {
    private final InMemoryConsumptionTracker tracker = new InMemoryConsumptionTracker();

    @Override
    protected EventConsumptionTracker tracker() {
        return tracker;
    }
}
