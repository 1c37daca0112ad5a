package outbox.benchmark.micro;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import outbox.EventEnvelope;
import outbox.benchmark.Payloads;
import outbox.util.JsonCodec;

/** Headers to JSON and back, and the making of an envelope. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class CodecBenchmark {
    private final JsonCodec codec = JsonCodec.getDefault();
    private final Map<String, String> headers = Map.of(
            "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "tenant", "acme \"north\"",
            "schema", "orders/2");
    private final @Nullable String headersJson = codec.toJson(headers);
    private final String payload = Payloads.of(42);

    @Benchmark
    public @Nullable String writeHeaders() {
        return codec.toJson(headers);
    }

    @Benchmark
    public Map<String, String> readHeaders() {
        return codec.parseObject(headersJson);
    }

    @Benchmark
    public Map<String, String> readNoHeaders() {
        return codec.parseObject("{}");
    }

    @Benchmark
    public EventEnvelope envelope() {
        return EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("42")
                .payloadJson(payload)
                .build();
    }
}
