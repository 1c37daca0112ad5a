package outbox.xxljob.admin;

import java.util.List;
import java.util.Locale;

/** The names of the outbox's job handlers. */
public final class JobHandlers {
    public static final String RECOVER = "outboxRecover";
    public static final String RELAY = "outboxRelay";
    public static final String WARN_FAILED = "outboxWarnFailed";

    private JobHandlers() {}

    /** @param outbox name of one of several outboxes: {@code orders} makes {@code ordersOutboxRecover}; or empty */
    public static String name(String outbox, String handler) {
        return outbox.isEmpty()
                ? handler
                : outbox + handler.substring(0, 1).toUpperCase(Locale.ROOT) + handler.substring(1);
    }

    /** All handlers of an outbox. */
    public static List<String> of(String outbox) {
        return List.of(name(outbox, RECOVER), name(outbox, RELAY), name(outbox, WARN_FAILED));
    }
}
