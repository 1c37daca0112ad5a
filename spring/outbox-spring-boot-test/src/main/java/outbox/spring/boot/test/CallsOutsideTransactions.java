package outbox.spring.boot.test;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import outbox.domain.handler.HandlerInterceptor;

/**
 * Records which handlers were called outside of a transaction: their progress is not stored together with their effect,
 * so a crash can happen in between. Thread-safe.
 */
final class CallsOutsideTransactions implements HandlerInterceptor {
    private final Map<String, Set<String>> handlersByEvent = new ConcurrentHashMap<>();

    @Override
    public void around(Call call) throws Exception {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            call.events()
                    .forEach(event -> handlersByEvent
                            .computeIfAbsent(event.eventId(), id -> ConcurrentHashMap.newKeySet())
                            .add(call.handler()));
        }
        call.proceed();
    }

    Set<String> handlersOf(String eventId) {
        return Set.copyOf(handlersByEvent.getOrDefault(eventId, Set.of()));
    }

    void clear() {
        handlersByEvent.clear();
    }
}
