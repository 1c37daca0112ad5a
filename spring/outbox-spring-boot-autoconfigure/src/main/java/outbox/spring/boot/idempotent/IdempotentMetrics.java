package outbox.spring.boot.idempotent;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Counts requests by what became of them, if there is a registry. */
final class IdempotentMetrics {
    private final @Nullable MeterRegistry registry;
    private final String name;

    /** What became of a request. */
    enum Outcome {
        /** It ran, and its answer was stored. */
        EXECUTED,
        /** It ran, and its answer was not stored: 5xx, an exception, or an answer that asks to come again. */
        NOT_STORED,
        /** It got the stored answer. */
        REPLAYED,
        /** 409: the first request is in progress. */
        IN_PROGRESS,
        /** 422: the key was used for another request. */
        CONFLICT,
        /** 400, 413 or 415. */
        REJECTED
    }

    /** @param prefix of the names of all meters */
    IdempotentMetrics(@Nullable MeterRegistry registry, String prefix) {
        this.registry = registry;
        this.name = prefix + ".idempotency.http.requests";
    }

    void count(String scope, Outcome outcome) {
        if (registry != null) {
            registry.counter(name, "scope", scope, "outcome", outcome.name().toLowerCase(Locale.ROOT))
                    .increment();
        }
    }
}
