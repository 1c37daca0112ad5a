package outbox.spring.boot;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Several beans in the place of one. */
final class Together {
    private Together() {}

    /** Tells each of them, whatever another one throws; the first failure is thrown when all have been told. */
    static <T> void each(List<T> all, Consumer<? super T> call) {
        @Nullable RuntimeException failure = null;
        for (T one : all) {
            try {
                call.accept(one);
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
