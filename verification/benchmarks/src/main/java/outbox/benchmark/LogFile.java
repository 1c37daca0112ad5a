package outbox.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.FileHandler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Where this project's warnings go during a run, as they would in production: to a file. Stateless. */
final class LogFile {
    private LogFile() {}

    static void open(Path file) throws IOException {
        System.setProperty("org.springframework.boot.logging.LoggingSystem", "none"); // logback.xml is enough
        LogManager.getLogManager().reset();
        FileHandler handler = new FileHandler(file.toString());
        handler.setFormatter(new SimpleFormatter());
        handler.setLevel(Level.WARNING);
        Logger.getLogger("").addHandler(handler);
    }
}
