package outbox.spring.boot;

import java.util.List;
import outbox.dead.FailedEventAlert;
import outbox.dead.FailedEvents;

/** Combines all alerts of an application. */
record FailedEventAlerts(List<? extends FailedEventAlert> all) implements FailedEventAlert {
    @Override
    public void failed(FailedEvents events) {
        Together.each(all, alert -> alert.failed(events));
    }

    @Override
    public void noneFailed() {
        Together.each(all, FailedEventAlert::noneFailed);
    }

    @Override
    public FailedEventAlerts forOutbox(String outbox) {
        return new FailedEventAlerts(
                all.stream().map(alert -> alert.forOutbox(outbox)).toList());
    }
}
