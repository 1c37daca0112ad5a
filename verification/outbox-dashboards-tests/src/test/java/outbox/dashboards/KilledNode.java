package outbox.dashboards;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import outbox.samples.shop.ShopApplication;

/** Another shop in a process of its own, to be killed. */
final class KilledNode implements AutoCloseable {
    private final int port = InstalledPrometheus.freePort();
    private final Process process;

    KilledNode(Path directory) throws IOException {
        process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ShopApplication.class.getName(),
                        "--server.port=" + port)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("killed-node.log").toFile())
                .start();
    }

    int port() {
        return port;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("a killed process does not end");
        }
    }
}
