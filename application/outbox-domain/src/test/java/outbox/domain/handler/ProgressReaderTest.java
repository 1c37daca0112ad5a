package outbox.domain.handler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ProgressReaderTest {
    private final List<Runnable> tasks = new ArrayList<>();
    private final List<List<String>> reads = new ArrayList<>();
    private boolean away;

    private Map<String, List<HandlerProgress>> read(List<String> ids) {
        reads.add(ids);
        if (away || ids.contains("bad")) {
            throw new IllegalStateException("cannot read " + ids);
        }
        return new HashMap<>();
    }

    private List<CompletionStage<List<HandlerProgress>>> readTogether(String... ids) throws InterruptedException {
        ProgressReader reader = new ProgressReader(this::read, tasks::add);
        List<CompletionStage<List<HandlerProgress>>> answers = new ArrayList<>();
        for (String id : ids) {
            answers.add(reader.progressOf(id));
        }
        tasks.forEach(Runnable::run);
        return answers;
    }

    @Test
    void progressThatCannotBeReadFailsItsEventAlone() throws Exception {
        List<CompletionStage<List<HandlerProgress>>> answers = readTogether("1", "bad", "2");

        assertThat(answers)
                .extracting(answer -> answer.toCompletableFuture().isCompletedExceptionally())
                .containsExactly(false, true, false);
        assertThat(answers).allMatch(answer -> answer.toCompletableFuture().isDone());
    }

    @Test
    void aTrackerThatIsAwayIsNotAskedForEachEvent() throws Exception {
        away = true;
        List<CompletionStage<List<HandlerProgress>>> answers = readTogether("1", "2", "3", "4", "5");

        assertThat(answers).allMatch(answer -> answer.toCompletableFuture().isCompletedExceptionally());
        assertThat(reads).as("all at once, then two alone").hasSize(3);
    }

    @Test
    void aTrackerThatReturnsNothingFailsItsEventsAndNotTheReader() throws Exception {
        List<Runnable> running = new ArrayList<>();
        ProgressReader reader = new ProgressReader(ids -> reads.isEmpty() ? null : new HashMap<>(), running::add);
        CompletionStage<List<HandlerProgress>> first = reader.progressOf("1");
        running.forEach(Runnable::run);
        reads.add(List.of());
        CompletionStage<List<HandlerProgress>> second = reader.progressOf("2");
        running.get(1).run();

        assertThat(first.toCompletableFuture()).isCompletedExceptionally();
        assertThat(second.toCompletableFuture()).isCompletedWithValue(List.of());
    }
}
