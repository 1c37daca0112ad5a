package outbox.testing.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A program to run: its words and what it adds to the environment.
 *
 * @param words program and arguments
 * @param environment variables set in addition to those of this JVM
 */
record Command(List<String> words, Map<String, String> environment) {

    private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(10);

    Command(List<String> words) {
        this(words, Map.of());
    }

    /** Returns this command with these variables too. */
    Command with(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(environment);
        all.putAll(more);
        return new Command(words, Map.copyOf(all));
    }

    /** Starts it; what it prints is appended to the log. */
    Process start(Path log, @Nullable Path input) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(Redirect.appendTo(log.toFile()))
                .redirectInput(
                        Redirect.from(input == null ? Path.of("/dev/null").toFile() : input.toFile()));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Runs it to its end and throws, with the tail of the log, unless it succeeds in time. */
    void run(ServerDirectory directory, @Nullable Path input, Duration timeout) {
        Process process;
        try {
            process = start(directory.log(), input);
        } catch (IOException e) {
            throw new UncheckedIOException(words.get(0) + " cannot be started: " + e.getMessage(), e);
        }
        if (!endsWithin(process, timeout)) {
            throw new IllegalStateException(words.get(0) + " did not end within " + timeout.toSeconds()
                    + " s. Its log ends with:\n" + directory.logTail());
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException(words.get(0) + " ended with exit code " + process.exitValue()
                    + ". Its log ends with:\n" + directory.logTail());
        }
    }

    /** Tells whether it can be run and succeeds; its output goes nowhere. */
    boolean succeeds() {
        try {
            Process process = new ProcessBuilder(words)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
            return endsWithin(process, PROBE_TIMEOUT) && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean endsWithin(Process process, Duration timeout) {
        try {
            if (process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                return true;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        process.destroyForcibly();
        return false;
    }
}
