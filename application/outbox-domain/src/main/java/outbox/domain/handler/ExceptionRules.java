package outbox.domain.handler;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import outbox.UnreadablePayloadException;
import outbox.dispatch.UnroutableEventException;

/** Which exceptions are not retried: the rule for the most specific class decides; the default is to retry. */
final class ExceptionRules {
    private final Map<Class<?>, Boolean> deadByClass = new HashMap<>();

    ExceptionRules() {
        deadByClass.put(UnreadablePayloadException.class, true);
        deadByClass.put(UnroutableEventException.class, true);
    }

    /** These rules, preceded by those of one handler. */
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
