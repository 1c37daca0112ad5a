package outbox.spring.boot;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Health of the outboxes: down if a table cannot be read or delivery has stopped. Dead or late events, and a log that
 * cannot be read, are only reported as details, because another instance of the application would not be healthier.
 */
final class OutboxHealth {
    private final List<OutboxUnit> units;
    private final @Nullable LogRelay relay;

    /** @param relay {@code null} if the outboxes deliver themselves */
    OutboxHealth(List<OutboxUnit> units, @Nullable LogRelay relay) {
        this.units = List.copyOf(units);
        this.relay = relay;
    }

    /** @param problem {@code null} if healthy */
    record Finding(
            boolean up,
            Map<String, Object> details,
            @Nullable Exception problem) {}

    Finding look() {
        Map<String, Object> details = new LinkedHashMap<>();
        boolean up = true;
        Exception problem = null;
        for (OutboxUnit unit : units) {
            Map<String, Object> detail = new LinkedHashMap<>();
            details.put(unit.name(), detail);
            if (unit.parts().relays() && relay != null) {
                detail.put("cdc", relay.details());
            }
            if (!unit.isAutoStartup() && !unit.isRunning()) {
                detail.put("delivery", "not started");
            } else if (isStopped(unit)) {
                up = false;
                detail.put("delivery", "stopped");
            }
            try {
                Map<String, Object> summary = new OutboxReport(unit).summary();
                detail.put("counts", summary.getOrDefault("counts", Map.of()));
                detail.put("oldestPendingSeconds", summary.getOrDefault("oldestPendingSeconds", 0));
            } catch (Exception e) {
                up = false;
                problem = e;
                detail.put("table", "cannot be read");
            }
        }
        return new Finding(up, details, problem);
    }

    private boolean isStopped(OutboxUnit unit) {
        return !unit.outbox().isRunning() || (unit.parts().relays() && relay != null && relay.isStopped());
    }
}
