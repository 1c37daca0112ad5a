package outbox.spring.boot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import outbox.doctor.CheckFailedException;
import outbox.doctor.Doctor;
import outbox.doctor.ListenerTimes;
import outbox.domain.TxMode;
import outbox.domain.handler.EventHandlers;

/**
 * {@code /actuator/outboxdoctor}: findings about each outbox and its database. It is read-only and takes two seconds.
 * With {@code probe=true} it also writes an event in a transaction that is rolled back, to prove that the outbox is
 * part of it.
 */
@Endpoint(id = "outboxdoctor")
public class OutboxDoctorEndpoint {
    private final List<OutboxUnit> units;
    private final ListenerTimes times;

    OutboxDoctorEndpoint(List<OutboxUnit> units, ListenerTimes times) {
        this.units = List.copyOf(units);
        this.times = times;
    }

    /** By the name of the outbox. */
    @ReadOperation
    public Map<String, Object> examine(@org.springframework.lang.Nullable @Nullable Boolean probe) {
        Map<String, Object> all = new LinkedHashMap<>();
        for (OutboxUnit unit : units) {
            try {
                all.put(
                        unit.name(),
                        doctor(unit, Boolean.TRUE.equals(probe)).examine().toMap());
            } catch (CheckFailedException e) {
                all.put(unit.name(), Map.of("healthy", false, "error", String.valueOf(e.getMessage())));
            }
        }
        return all;
    }

    private Doctor doctor(OutboxUnit unit, boolean probe) {
        Doctor doctor = Doctor.of(unit.parts().dataSource())
                .table(unit.parts().store().tableName())
                .consumptionTable(unit.parts().consumptionTable())
                .outbox(unit.outbox())
                .listenerTimes(times);
        if (unit.parts().relays()) {
            doctor.appendOnly();
        }
        EventHandlers handlers = unit.handlers();
        if (handlers != null) {
            Set<String> unknown = handlers.unknownHandlers();
            doctor.handlers(name -> !unknown.contains(name));
        }
        units.stream()
                .filter(other -> other.isInbox()
                        && other.parts().dataSource() == unit.parts().dataSource())
                .findFirst()
                .ifPresent(inbox -> doctor.inboxTable(
                        (unit.isInbox() ? unit : inbox).parts().store().tableName()));
        if (probe && !unit.isInbox()) {
            doctor.writeProbe(unit.outbox().writer(), work -> rolledBack(unit, work));
        }
        return doctor;
    }

    private static void rolledBack(OutboxUnit unit, Runnable work) throws Exception {
        try {
            unit.parts().transactions().run(TxMode.REQUIRES_NEW, () -> {
                work.run();
                throw new RollBack();
            });
        } catch (RollBack wanted) {
            // rolled back as intended
        }
    }

    /** Thrown to roll a transaction back. */
    private static final class RollBack extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RollBack() {
            super(null, null, false, false);
        }
    }
}
