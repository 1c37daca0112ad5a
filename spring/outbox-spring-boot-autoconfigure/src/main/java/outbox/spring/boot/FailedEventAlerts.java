package outbox.spring.boot;

import java.util.List;
import outbox.dead.FailedEventAlert;
import outbox.dead.FailedEvents;

/** All alerts of an application in the place of one. */
record FailedEventAlerts(List<FailedEventAlert> all) implements FailedEventAlert {
    @Override
    public void failed(FailedEvents events) {
        Together.each(all, alert -> alert.failed(events));
    }

    @Override
    public void noneFailed() {
        Together.each(all, FailedEventAlert::noneFailed);
    }
}
