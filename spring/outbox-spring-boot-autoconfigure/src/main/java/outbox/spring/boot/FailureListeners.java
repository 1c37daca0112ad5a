package outbox.spring.boot;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import outbox.spi.FailureListener;

/** Combines the application's failure listeners with the recording of attempts. */
final class FailureListeners {
    private FailureListeners() {}

    /** @return {@code null} if there are none */
    static @Nullable FailureListener of(ListableBeanFactory beans, String outbox, DataSource dataSource) {
        List<FailureListener> all = new ArrayList<>(
                beans.getBeanProvider(FailureListener.class).orderedStream().toList());
        beans.getBeanProvider(FailureRecording.class)
                .orderedStream()
                .map(recording -> recording.listenerOf(outbox, dataSource))
                .filter(listener -> listener != FailureListener.NONE)
                .forEach(all::add);
        return all.isEmpty() ? null : failure -> Together.each(all, listener -> listener.failed(failure));
    }
}
