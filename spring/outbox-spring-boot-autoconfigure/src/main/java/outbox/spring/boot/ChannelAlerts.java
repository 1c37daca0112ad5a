package outbox.spring.boot;

import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import outbox.alert.AlertChannel;
import outbox.dead.FailedEventAlert;
import outbox.dead.FailedEvents;
import outbox.webhook.WebhookClient;

/**
 * Alerts to the channels of {@code outbox.alerts.*} and to {@code AlertChannel} beans, through one HTTP client.
 *
 * @param failures to all channels
 * @param breakerNotice makes the notice of one channel, with the name of an application
 */
record ChannelAlerts(
        String application,
        List<AlertChannel> channels,
        FailedEventAlert failures,
        BiFunction<String, AlertChannel, BreakerNotice> breakerNotice,
        WebhookClient client)
        implements FailedEventAlert, BreakerAlerts, AutoCloseable {
    @Override
    public void failed(FailedEvents events) {
        failures.failed(events);
    }

    @Override
    public void noneFailed() {
        failures.noneFailed();
    }

    @Override
    public FailedEventAlert forOutbox(String outbox) {
        return failures.forOutbox(outbox);
    }

    @Override
    public BreakerAlert alertFor(@Nullable String outbox) {
        String title = outbox == null ? application : application + " / " + outbox;
        List<BreakerNotice> notices = channels.stream()
                .map(channel -> breakerNotice.apply(title, channel))
                .toList();
        return (open, elected) -> Together.each(notices, notice -> notice.look(open, elected));
    }

    @Override
    public void close() {
        client.close();
    }
}
