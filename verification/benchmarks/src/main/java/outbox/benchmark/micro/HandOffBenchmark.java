package outbox.benchmark.micro;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Moves events from producers to four workers; a producer that finds the queue full tries again. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class HandOffBenchmark {
    private static final int EVENTS = 160_000;
    private static final int WORKERS = 4;

    @Param({
        "HandOff",
        "ArrayBlockingQueue",
        "LinkedBlockingQueue",
        "LinkedTransferQueue",
        "ConcurrentLinkedQueue",
        "Disruptor"
    })
    String queue = "";

    @Param({"1", "4", "16"})
    int producers;

    private final LongAdder arrived = new LongAdder();
    private @Nullable ExecutorService threads;
    private @Nullable HandOffQueue handOff;

    @Setup(Level.Trial)
    public void start() {
        threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        handOff = HandOffQueue.of(queue);
        handOff.start(threads, WORKERS, event -> arrived.increment());
    }

    /** Nanoseconds for one event on its whole way, all threads together. */
    @Benchmark
    @OperationsPerInvocation(EVENTS)
    @SuppressWarnings("ThreadPriorityCheck") // more threads than cores: a producer must let the workers run
    public void move() throws Exception {
        HandOffQueue target = Objects.requireNonNull(handOff);
        arrived.reset();
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < producers; i++) {
            all.add(Objects.requireNonNull(threads).submit(() -> {
                for (int event = 0; event < EVENTS / producers; event++) {
                    while (!target.offer(this)) {
                        Thread.yield();
                    }
                }
            }));
        }
        for (Future<?> producer : all) {
            producer.get();
        }
        while (arrived.sum() < EVENTS) {
            Thread.onSpinWait();
        }
    }

    @TearDown(Level.Trial)
    public void stop() {
        Objects.requireNonNull(handOff).stop();
        Objects.requireNonNull(threads).shutdownNow();
    }
}
