package outbox.domain.handler;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** Reads progress in batches: events that arrive while one batch is being read form the next one. Thread-safe. */
final class ProgressReader {
    static final int MAX_BATCH = 500;
    private static final int ROOM = 2 * MAX_BATCH;
    /** So many events in a row that cannot be read mean that none can. */
    private static final int FAILURES_TO_STOP = 2;

    private final Function<List<String>, Map<String, List<HandlerProgress>>> source;
    private final Executor executor;

    private List<Waiting> waiting = new ArrayList<>(); // guarded by this
    private boolean reading; // guarded by this

    private record Waiting(String eventId, CompletableFuture<List<HandlerProgress>> answer) {}

    /** @param source the progress of several events, by event id */
    ProgressReader(Function<List<String>, Map<String, List<HandlerProgress>>> source, Executor executor) {
        this.source = source;
        this.executor = executor;
    }

    /** Waits while too many events are waiting to be read: the dispatcher holds fewer events then. */
    CompletionStage<List<HandlerProgress>> progressOf(String eventId) throws InterruptedException {
        CompletableFuture<List<HandlerProgress>> answer = new CompletableFuture<>();
        synchronized (this) {
            while (waiting.size() >= ROOM) {
                wait();
            }
            waiting.add(new Waiting(eventId, answer));
            if (reading) {
                return answer;
            }
            reading = true;
        }
        try {
            executor.execute(this::readAll);
        } catch (RuntimeException | Error e) { // closing, or no thread available: read on this thread
            readAll();
        }
        return answer;
    }

    private void readAll() {
        while (true) {
            List<Waiting> batch;
            synchronized (this) {
                if (waiting.isEmpty()) {
                    reading = false;
                    return;
                }
                int size = Math.min(MAX_BATCH, waiting.size());
                batch = List.copyOf(waiting.subList(0, size));
                waiting = new ArrayList<>(waiting.subList(size, waiting.size()));
                notifyAll();
            }
            read(batch);
        }
    }

    private void read(List<Waiting> batch) {
        try {
            Map<String, List<HandlerProgress>> progress =
                    source.apply(batch.stream().map(Waiting::eventId).toList());
            batch.forEach(one -> one.answer().complete(progress.getOrDefault(one.eventId(), List.of())));
        } catch (Throwable e) { // Errors too: the next batch would wait forever
            readEach(batch, e);
        }
    }

    /** The progress of one event may be unreadable, or where only that is stored. If several fail, all would. */
    private void readEach(List<Waiting> batch, Throwable failure) {
        if (batch.size() == 1) {
            batch.get(0).answer().completeExceptionally(failure);
            return;
        }
        int failuresInARow = 0;
        for (Waiting one : batch) {
            if (failuresInARow < FAILURES_TO_STOP) {
                read(List.of(one));
                failuresInARow = one.answer().isCompletedExceptionally() ? failuresInARow + 1 : 0;
            } else {
                one.answer().completeExceptionally(failure);
            }
        }
    }
}
