package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.control.audit.AuditLog;
import outbox.spring.boot.properties.InstanceProperties;
import outbox.spring.boot.properties.OutboxProperties;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * Chooses the outbox whose database holds the control center's own tables: audit log, rules, views, operations. The
 * order of instances must not decide this, or adding one could move the tables silently.
 */
final class ControlCenterHome {
    private static final Logger LOG = System.getLogger(ControlCenterHome.class.getName());

    private ControlCenterHome() {}

    /** @throws IllegalStateException if there are several and none is chosen */
    static OutboxUnit of(@Nullable String chosen, List<OutboxUnit> units, OutboxProperties outbox) {
        OutboxUnit home = choose(chosen, units, outbox);
        units.stream().filter(unit -> isElsewhere(unit, home)).forEach(unit -> warnIfItWas(unit, home));
        return home;
    }

    private static OutboxUnit choose(@Nullable String chosen, List<OutboxUnit> units, OutboxProperties outbox) {
        String names = units.stream().map(OutboxUnit::name).collect(Collectors.joining(", "));
        if (chosen != null && !chosen.isBlank()) {
            return units.stream()
                    .filter(unit -> unit.name().equals(chosen))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("outbox.control-center.home is '" + chosen
                            + "', but there is no outbox of that name; known are: " + names));
        }
        List<OutboxUnit> outboxes =
                units.stream().filter(unit -> !unit.isInbox()).toList();
        if (outboxes.size() == 1) {
            return outboxes.get(0);
        }
        if (units.size() == 1) {
            return units.get(0);
        }
        List<OutboxUnit> primary = units.stream()
                .filter(unit -> {
                    InstanceProperties instance = outbox.getInstances().get(unit.name());
                    return instance != null && instance.isPrimary();
                })
                .toList();
        if (primary.size() == 1) {
            return primary.get(0);
        }
        throw new RefusedSettingsException(
                "the control center stores its audit log, alert rules and operations in the"
                        + " database of one outbox, and there are several: " + names,
                "Choose one with outbox.control-center.home=<name>; until now it was the one configured first ("
                        + units.get(0).name() + ").");
    }

    private static boolean isElsewhere(OutboxUnit unit, OutboxUnit home) {
        return unit.parts().dataSource() != home.parts().dataSource();
    }

    private static void warnIfItWas(OutboxUnit unit, OutboxUnit home) {
        try {
            if (AuditLog.isIn(unit.parts().dataSource())) {
                LOG.log(
                        Level.WARNING,
                        "the control center stores its data in the database of outbox '" + home.name()
                                + "', and that of"
                                + " outbox '" + unit.name()
                                + "' contains an audit log of a control center too. If it was"
                                + " moved, its earlier audit log, rules and operations are not visible here; switch back with"
                                + " outbox.control-center.home=" + unit.name());
            }
        } catch (SQLException | RuntimeException e) {
            LOG.log(Level.DEBUG, "cannot look for an earlier home in outbox '" + unit.name() + "'", e);
        }
    }
}
