package outbox.benchmark.micro;

import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A candidate for the queue between writers and workers: bounded, many producers that never wait, some workers that
 * wait for work. Thread-safe.
 */
interface HandOffQueue {
    /** Events a queue holds at most, as in the engine; a power of two for the ring buffer. */
    int CAPACITY = 1024;

    /** @return {@code false} if it is full */
    boolean offer(Object event);

    /** Starts workers that call {@code listener} for each event, until {@link #stop}. */
    void start(ExecutorService threads, int workers, Consumer<Object> listener);

    void stop();

    /** The candidates by name. */
    static HandOffQueue of(String name) {
        return switch (name) {
            case "HandOff" -> new AsInTheEngine();
            case "ArrayBlockingQueue" -> new Blocking(new ArrayBlockingQueue<>(CAPACITY));
            case "LinkedBlockingQueue" -> new Blocking(new LinkedBlockingQueue<>(CAPACITY));
            case "LinkedTransferQueue" -> new BoundedTransfer();
            case "ConcurrentLinkedQueue" -> new BoundedConcurrent();
            case "Disruptor" -> new Ring();
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** Workers that take one event after the other. */
    abstract class Taking implements HandOffQueue {
        private volatile boolean stopped;

        abstract Object take() throws InterruptedException;

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // they end with the executor
        public final void start(ExecutorService threads, int workers, Consumer<Object> listener) {
            for (int i = 0; i < workers; i++) {
                threads.submit(() -> {
                    while (!stopped) {
                        listener.accept(take());
                    }
                    return null;
                });
            }
        }

        @Override
        public final void stop() {
            stopped = true;
        }
    }

    /** Two queues and one semaphore, as {@code outbox.dispatch.HandOff} has them. */
    final class AsInTheEngine extends Taking {
        private final ArrayBlockingQueue<Object> hot = new ArrayBlockingQueue<>(CAPACITY);
        private final ArrayBlockingQueue<Object> cold = new ArrayBlockingQueue<>(CAPACITY);
        private final ConcurrentLinkedQueue<Object> resumed = new ConcurrentLinkedQueue<>();
        private final Semaphore available = new Semaphore(0);
        private final AtomicInteger turn = new AtomicInteger();

        @Override
        public boolean offer(Object event) {
            if (!hot.offer(event)) {
                return false;
            }
            available.release();
            return true;
        }

        @Override
        Object take() throws InterruptedException {
            available.acquire();
            boolean coldFirst = Math.floorMod(turn.getAndIncrement(), 3) == 2;
            while (true) {
                Object event = resumed.poll();
                if (event == null) {
                    event = coldFirst ? cold.poll() : hot.poll();
                }
                if (event == null) {
                    event = coldFirst ? hot.poll() : cold.poll();
                }
                if (event != null) {
                    return event;
                }
                Thread.onSpinWait();
            }
        }
    }

    /** One queue of the JDK alone. */
    final class Blocking extends Taking {
        private final BlockingQueue<Object> queue;

        Blocking(BlockingQueue<Object> queue) {
            this.queue = queue;
        }

        @Override
        public boolean offer(Object event) {
            return queue.offer(event);
        }

        @Override
        Object take() throws InterruptedException {
            return queue.take();
        }
    }

    /** An unbounded queue without locks, bounded by a counter. */
    final class BoundedTransfer extends Taking {
        private final LinkedTransferQueue<Object> queue = new LinkedTransferQueue<>();
        private final AtomicInteger size = new AtomicInteger();

        @Override
        public boolean offer(Object event) {
            if (size.incrementAndGet() > CAPACITY) {
                size.decrementAndGet();
                return false;
            }
            return queue.offer(event);
        }

        @Override
        Object take() throws InterruptedException {
            Object event = queue.take();
            size.decrementAndGet();
            return event;
        }
    }

    /** Lock-free queue, counter for the bound, semaphore for the signal. */
    final class BoundedConcurrent extends Taking {
        private final ConcurrentLinkedQueue<Object> queue = new ConcurrentLinkedQueue<>();
        private final AtomicInteger size = new AtomicInteger();
        private final Semaphore available = new Semaphore(0);

        @Override
        public boolean offer(Object event) {
            if (size.incrementAndGet() > CAPACITY) {
                size.decrementAndGet();
                return false;
            }
            queue.add(event);
            available.release();
            return true;
        }

        @Override
        Object take() throws InterruptedException {
            available.acquire();
            Object event = queue.poll();
            while (event == null) {
                Thread.onSpinWait();
                event = queue.poll();
            }
            size.decrementAndGet();
            return event;
        }
    }

    /** LMAX Disruptor: one ring, each worker takes every n-th slot (version 4 has no worker pool any more). */
    final class Ring implements HandOffQueue {
        private final RingBuffer<Slot> ring =
                RingBuffer.createMultiProducer(Slot::new, CAPACITY, new BlockingWaitStrategy());
        private final List<EventProcessor> processors = new ArrayList<>();

        private static final class Slot {
            private @Nullable Object event;
        }

        @Override
        public boolean offer(Object event) {
            return ring.tryPublishEvent((slot, sequence) -> slot.event = event);
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // they end with halt()
        public void start(ExecutorService threads, int workers, Consumer<Object> listener) {
            for (int i = 0; i < workers; i++) {
                int worker = i;
                EventHandler<Slot> handler = (slot, sequence, endOfBatch) -> {
                    Object event = slot.event;
                    if (sequence % workers == worker && event != null) {
                        listener.accept(event);
                    }
                };
                processors.add(new BatchEventProcessorBuilder().build(ring, ring.newBarrier(), handler));
            }
            ring.addGatingSequences(
                    processors.stream().map(EventProcessor::getSequence).toArray(Sequence[]::new));
            processors.forEach(threads::submit);
        }

        @Override
        public void stop() {
            processors.forEach(EventProcessor::halt);
        }
    }
}
