package outbox.samples.shop.board;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import outbox.EventEnvelope;
import outbox.WriterHook;
import outbox.domain.handler.HandlerInterceptor;

/**
 * How long events of this process took from their INSERT, over the commit, to the first call of a handler. Only the newest
 * are kept. Thread-safe.
 */
@Component
class PickUps implements WriterHook, HandlerInterceptor {
    private static final int KEPT = 2000;

    private final Map<String, Long> written = newest();
    private final Map<String, Long> waitedMicros = newest();

    private static Map<String, Long> newest() {
        return Collections.synchronizedMap(new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
                return size() > KEPT;
            }
        });
    }

    @Override
    public void afterWrite(List<EventEnvelope> events) {
        long now = System.nanoTime();
        events.forEach(event -> written.put(event.eventId(), now));
    }

    @Override
    public void around(Call call) throws Exception {
        long now = System.nanoTime();
        for (EventEnvelope event : call.events()) {
            Long since = written.remove(event.eventId());
            if (since != null) {
                waitedMicros.put(event.eventId(), (now - since) / 1000);
            }
        }
        call.proceed();
    }

    @Nullable
    Double millis(String eventId) {
        Long micros = waitedMicros.get(eventId);
        return micros == null ? null : micros / 1000.0;
    }

    /** The middle one of these, in milliseconds; {@code null} if none is known. */
    @Nullable
    Double median(Collection<String> eventIds) {
        List<Double> known = new ArrayList<>();
        for (String id : eventIds) {
            Double millis = millis(id);
            if (millis != null) {
                known.add(millis);
            }
        }
        Collections.sort(known);
        return known.isEmpty() ? null : known.get(known.size() / 2);
    }
}
