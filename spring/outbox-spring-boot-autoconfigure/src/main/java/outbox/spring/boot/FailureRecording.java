package outbox.spring.boot;

import javax.sql.DataSource;
import outbox.spi.FailureListener;

/** Records the failed deliveries of each outbox, in addition to the application's listeners. */
interface FailureRecording {
    /** @return {@link FailureListener#NONE} if nothing is recorded for this one */
    FailureListener listenerOf(String outbox, DataSource dataSource);
}
