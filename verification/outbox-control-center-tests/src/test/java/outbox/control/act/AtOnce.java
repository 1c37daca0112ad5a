package outbox.control.act;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** What several people do at the same moment. */
final class AtOnce {
    private AtOnce() {}

    /** @return what each of them was told, in their order */
    @SafeVarargs
    static <T> List<T> run(Callable<T>... people) throws Exception {
        CyclicBarrier start = new CyclicBarrier(people.length);
        ExecutorService threads = Executors.newFixedThreadPool(people.length);
        try {
            List<Future<T>> told = new ArrayList<>();
            for (Callable<T> person : people) {
                told.add(threads.submit(() -> {
                    start.await();
                    return person.call();
                }));
            }
            List<T> answers = new ArrayList<>();
            for (Future<T> answer : told) {
                answers.add(answer.get());
            }
            return answers;
        } finally {
            threads.shutdownNow();
        }
    }
}
