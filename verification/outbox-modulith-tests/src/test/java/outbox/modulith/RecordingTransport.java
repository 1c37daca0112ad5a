package outbox.modulith;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.modulith.events.support.EventExternalizationTransport;

/** A transport that keeps what it is given; the first calls for some orders fail. */
final class RecordingTransport implements EventExternalizationTransport {
    record Sent(Object payload, String target, String key) {}

    final List<Sent> sent = new CopyOnWriteArrayList<>();
    final AtomicInteger calls = new AtomicInteger();
    final Map<String, AtomicInteger> failures = new ConcurrentHashMap<>();

    @Override
    public CompletableFuture<?> externalize(Object payload, RoutingTarget target) {
        calls.incrementAndGet();
        for (Map.Entry<String, AtomicInteger> failing : failures.entrySet()) {
            if (payload.toString().contains(failing.getKey())
                    && failing.getValue().getAndDecrement() > 0) {
                return CompletableFuture.failedFuture(new IllegalStateException("the broker is away"));
            }
        }
        BrokerRouting routing = BrokerRouting.of(target, new StandardEvaluationContext());
        sent.add(new Sent(payload, routing.getTarget(payload), Objects.requireNonNull(routing.getKey(payload))));
        return CompletableFuture.completedFuture("accepted");
    }

    List<Sent> sentFor(String orderId) {
        return sent.stream()
                .filter(sent -> sent.payload().toString().contains(orderId))
                .toList();
    }
}
