package outbox;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What the framework logs while this is open, as {@code java.util.logging} sees it. */
public final class RecordedLogs implements AutoCloseable {
    private static final Logger FRAMEWORK = Logger.getLogger("outbox");

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord logged) {
            records.add(logged);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    public RecordedLogs() {
        FRAMEWORK.addHandler(handler);
    }

    /** Messages of that level which the class logged. */
    public List<String> of(Class<?> source, Level level) {
        return of(source.getName(), level);
    }

    /** As {@link #of(Class, Level)}, by the name of the class. */
    public List<String> of(String source, Level level) {
        return records.stream()
                .filter(logged -> source.equals(logged.getLoggerName()) && level.equals(logged.getLevel()))
                .map(LogRecord::getMessage)
                .toList();
    }

    /** Everything of that level or above. */
    public List<LogRecord> atLeast(Level level) {
        return records.stream()
                .filter(logged -> logged.getLevel().intValue() >= level.intValue())
                .toList();
    }

    @Override
    public void close() {
        FRAMEWORK.removeHandler(handler);
    }
}
