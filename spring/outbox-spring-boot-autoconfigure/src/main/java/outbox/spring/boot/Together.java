package outbox.spring.boot;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Combines several beans into one. */
final class Together {
    private Together() {}

    /** Calls each of them, even if another one throws; the first failure is thrown at the end. */
    static <T> void each(List<? extends T> all, Consumer<? super T> call) {
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
