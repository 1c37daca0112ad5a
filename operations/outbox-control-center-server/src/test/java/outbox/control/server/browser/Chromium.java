package outbox.control.server.browser;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** The browser of the system, without a window, one for all tests of this JVM. */
final class Chromium {
    static final String PROGRAM = "chromium";
    static final String INSTALL = "apt-get install chromium";

    private static Browser shared;

    private Chromium() {}

    /** Ends the test as not run where there is no Chromium; fails it where one is required. */
    static synchronized Browser shared() {
        Optional<Path> program = program();
        boolean required = List.of(
                        System.getProperty("outbox.test.required", "").split(","))
                .contains(PROGRAM);
        Assumptions.assumeTrue(required || program.isPresent(), "NOT RUN: needs Chromium; " + INSTALL);
        if (shared == null) {
            shared = launch(program.orElseThrow(
                    () -> new IllegalStateException("Chromium is required here and not installed: " + INSTALL)));
        }
        return shared;
    }

    private static Browser launch(Path program) {
        Playwright playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        Runtime.getRuntime().addShutdownHook(new Thread(playwright::close));
        return playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(program)
                        .setTimeout(120_000)
                        .setArgs(List.of(
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-quic",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync")));
    }

    private static Optional<Path> program() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(directory -> Path.of(directory, PROGRAM))
                .filter(Files::isExecutable)
                .findFirst();
    }
}
