package outbox.jdbc.store;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What a class warned of while this was open. */
final class RecordedWarnings extends Handler implements AutoCloseable {
    private final Logger logger;
    private final List<String> messages = new CopyOnWriteArrayList<>();

    RecordedWarnings(String name) {
        this.logger = Logger.getLogger(name);
        logger.addHandler(this);
    }

    List<String> messages() {
        return messages;
    }

    @Override
    public void publish(LogRecord record) {
        if (record.getLevel().intValue() >= Level.WARNING.intValue()) {
            messages.add(record.getMessage());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
