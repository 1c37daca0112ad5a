package outbox.spring.boot;

import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import outbox.spi.FailureListener;

/** All that want to know of failed deliveries: beans of the application, and what records attempts beside them. */
final class FailureListeners {
    private FailureListeners() {}

    /** @return {@code null} if nobody wants to know */
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
