package outbox.spring.boot.connections;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A restart by DevTools: the same JVM, a new context, and the application's classes loaded anew. */
class DevToolsIT {
    @TempDir
    Path directory;

    @Test
    void anApplicationDeliversAfterARestartAndTheFirstOneLeavesNothingBehind() throws Exception {
        Path log = directory.resolve("log");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        DevToolsApp.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(10, TimeUnit.MINUTES);
        process.destroyForcibly();
        String output = Files.readString(log);
        assertThat(ended && process.exitValue() == 0).as(output).isTrue();
        assertThat(output).contains(DevToolsApp.DELIVERED + "[second], by new classes: true");
        assertThat(output.lines())
                .filteredOn(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .as("but for the complaint of DevTools itself about the database that it closes")
                .allMatch(line -> line.contains("inMemoryDatabaseShutdownExecutor"));
    }
}
