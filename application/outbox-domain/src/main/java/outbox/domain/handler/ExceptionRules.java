package outbox.domain.handler;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import outbox.dispatch.UnroutableEventException;
import outbox.domain.type.UnreadableEventException;

/** Which exceptions mean dead at once: the rule for the most specific class decides; without one it is retried. */
final class ExceptionRules {
    private final Map<Class<?>, Boolean> deadByClass = new HashMap<>();

    ExceptionRules() {
        deadByClass.put(UnreadableEventException.class, true);
        deadByClass.put(UnroutableEventException.class, true);
    }

    /** These rules, and in front of them those of one handler. */
    ExceptionRules with(HandlerOptions options) {
        ExceptionRules more = new ExceptionRules();
        more.deadByClass.putAll(deadByClass);
        more.put(options.deadOn(), true);
        more.put(options.retryOn(), false);
        return more;
    }

    void put(Collection<? extends Class<? extends Throwable>> exceptions, boolean dead) {
        exceptions.forEach(exception -> deadByClass.put(exception, dead));
    }

    boolean isDead(Throwable failure) {
        for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
            Boolean dead = deadByClass.get(type);
            if (dead != null) {
                return dead;
            }
        }
        return false;
    }
}
