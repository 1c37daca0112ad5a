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
 * Checks for dead events and sends alerts. A {@link NodeLease} elects the node that does this, so that there is one
 * message. A node that only logs needs no lease.
 */
final class FailedEventLook implements Runnable {
    private static final Logger LOG = System.getLogger(FailedEventLook.class.getName());

    /** Minimum duration of the lease, so that it does not move between nodes at short intervals. */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private final Outbox outbox;
    private final @Nullable NodeLease lease;
    private final FailureAlertProperties settings;

    /** @param lease {@code null} if every node checks */
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
                    "cannot elect the node that sends alerts, table " + NodeLease.TABLE + ": " + e.getMessage(), e);
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

    /** Releases the lease, so that another node takes over at its next check. */
    void stop() {
        if (lease != null) {
            try {
                lease.release();
            } catch (SQLException | RuntimeException e) {
                LOG.log(
                        Level.DEBUG,
                        "could not release the lease for alerts; another node takes over when it expires",
                        e);
            }
        }
    }
}
