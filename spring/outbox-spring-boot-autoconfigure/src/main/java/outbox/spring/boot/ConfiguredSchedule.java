package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import outbox.Outbox;
import outbox.jdbc.NodeLease;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spring.SpringTxContext;
import outbox.spring.boot.properties.FailureAlertProperties;
import outbox.spring.boot.properties.OutboxProperties.Mode;
import outbox.spring.boot.properties.PollProperties;
import outbox.spring.boot.properties.PropertyGroup;

/** What an outbox does at intervals besides polling: looking for dead events and open circuit breakers, purging. */
final class ConfiguredSchedule {
    private static final Logger LOG = System.getLogger(ConfiguredSchedule.class.getName());

    private final UnitConfiguration unit;

    ConfiguredSchedule(UnitConfiguration unit) {
        this.unit = unit;
    }

    RelaySchedule of(
            Outbox outbox,
            boolean delivers,
            HandlerSetup handlers,
            AbstractJdbcOutboxStore store,
            ConnectionProvider connections,
            SpringTxContext txContext,
            LargePayloads payloads,
            OutboxTables tables) {
        RelaySchedule schedule = new RelaySchedule(outbox);
        PollProperties poll = unit.properties().getPoll();
        FailureAlertProperties alerts = unit.properties().getFailureAlerts();
        if (delivers && poll.isEnabled() && poll.getCron() != null) {
            schedule.add(
                    "read the table",
                    unit.group("poll"),
                    poll.getCron(),
                    poll.getInterval(),
                    () -> outbox.relay().recoverOnce());
        }
        BreakerAlerts breakers =
                unit.beans().getBeanProvider(BreakerAlerts.class).getIfAvailable();
        boolean looks = delivers && (alerts.isEnabled() || breakers != null);
        boolean elects = looks && electsNodeForAlerts(tables);
        if (delivers && alerts.isEnabled()) {
            NodeLease lease = elects ? new NodeLease(connections, "alerts " + store.tableName()) : null;
            FailedEventLook look = new FailedEventLook(outbox, lease, alerts);
            schedule.add(
                    "look for dead events",
                    new PropertyGroup("outbox.failure-alerts"),
                    alerts.getCron(),
                    alerts.getInterval(),
                    look);
            schedule.atEnd(look::stop);
        }
        if (delivers && breakers != null) {
            BreakerLook look = new BreakerLook(
                    handlers::openBreakers,
                    breakers.alertFor(
                            unit.settings().sole() ? null : unit.settings().name()),
                    elects
                            ? handler -> new NodeLease(connections, BreakerLook.leaseOf(store.tableName(), handler))
                            : null);
            schedule.add(
                    "look for open circuit breakers",
                    new PropertyGroup("outbox.failure-alerts"),
                    null,
                    BreakerLook.interval(alerts.getInterval()),
                    look);
            schedule.atEnd(look::stop);
        }
        if (unit.properties().getPurge().isEnabled()) {
            TablePurge purge = new TablePurge(
                    store, connections, txContext, tables, unit.properties().getPurge());
            schedule.add(
                    "purge",
                    unit.group("purge"),
                    null,
                    unit.properties().getPurge().getInterval(),
                    purge);
        }
        payloads.schedule(schedule);
        return schedule;
    }

    /** @return whether one node sends alerts, instead of every node */
    private boolean electsNodeForAlerts(OutboxTables tables) {
        if (!unit.sendsAlerts() || unit.settings().mode() == Mode.SINGLE_NODE) {
            return false;
        }
        if (!tables.exists(NodeLease.TABLE)) {
            LOG.log(
                    Level.WARNING,
                    "table " + NodeLease.TABLE
                            + " does not exist, so every node sends alerts of outbox '"
                            + unit.settings().name()
                            + "'. Create the table with outbox/schema/lease.sql");
            return false;
        }
        return true;
    }
}
