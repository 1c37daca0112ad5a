package outbox.benchmark.micro;

import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.annotations.Warmup;
import outbox.util.Ulid;

/** Event ids, alone and with eight writers; random UUIDs for comparison. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class UlidBenchmark {
    @Benchmark
    public String oneWriter() {
        return Ulid.next();
    }

    @Benchmark
    @Threads(8)
    public String eightWriters() {
        return Ulid.next();
    }

    @Benchmark
    @Threads(8)
    public String randomUuid() {
        return UUID.randomUUID().toString();
    }
}
