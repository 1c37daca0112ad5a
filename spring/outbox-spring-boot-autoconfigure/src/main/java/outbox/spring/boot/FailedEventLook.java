package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;
import outbox.Outbox;
import outbox.jdbc.NodeLease;
import outbox.spring.boot.properties.FailureAlertProperties;

/**
 * Looks for dead events and alerts people. One node does, so that people get one message; which one, a {@link NodeLease}
 * decides. A node that only logs what it finds needs none.
 */
final class FailedEventLook implements Runnable {
    private static final Logger LOG = System.getLogger(FailedEventLook.class.getName());

    /** So that a short interval on a busy node does not make the lease wander. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private final Outbox outbox;
    private final @Nullable NodeLease lease;
    private final FailureAlertProperties settings;

    /** @param lease {@code null} if every node looks */
    FailedEventLook(Outbox outbox, @Nullable NodeLease lease, FailureAlertProperties settings) {
        this.outbox = outbox;
        this.lease = lease;
        this.settings = settings;
    }

    @Override
    public void run() {
        if (isElected()) {
            outbox.relay().warnFailedOnce();
        }
    }

    private boolean isElected() {
        if (lease == null) {
            return true;
        }
        try {
            return lease.hold(untilNextLook().multipliedBy(2).plus(SLACK));
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "cannot tell which node sends alerts, table " + NodeLease.TABLE + ": " + e.getMessage(), e);
        }
    }

    private Duration untilNextLook() {
        String cron = settings.getCron();
        if (cron == null) {
            return settings.getInterval();
        }
        CronExpression times = CronExpression.parse(cron);
        ZonedDateTime next = times.next(ZonedDateTime.now(ZoneId.systemDefault()));
        ZonedDateTime afterNext = next == null ? null : times.next(next);
        return afterNext == null ? Duration.ofDays(1) : Duration.between(next, afterNext);
    }

    /** Another node takes over at its next look. */
    void stop() {
        if (lease != null) {
            try {
                lease.release();
            } catch (SQLException | RuntimeException e) {
                LOG.log(
                        Level.DEBUG,
                        "the lease for alerts was not released; another node takes over when it is not renewed",
                        e);
            }
        }
    }
}
