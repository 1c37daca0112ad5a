package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A new project, written by following the README word for word, works. Its files are those of the page; it is built and run
 * by Maven, offline, in a repository that has this build's artifacts and all that was downloaded before. On a machine that
 * lacks some of the rest, and may ask for it, that is fetched first.
 */
class ReadmeProjectIT {
    private static final Path ROOT = Path.of(System.getProperty("basedir", "."))
            .resolve("../..")
            .toAbsolutePath()
            .normalize();
    private static final String VERSION = System.getProperty("outbox.version", "1.0.0-SNAPSHOT");
    /** What a project with the starter alone gets. */
    private static final List<String> MODULES = List.of(
            "outbox-core",
            "outbox-jdbc",
            "outbox-spring-adapter",
            "outbox-micrometer",
            "outbox-domain",
            "outbox-idempotency",
            "outbox-spring-boot-starter");

    @TempDir
    Path directory;

    private record Run(int exitCode, String output) {}

    @Test
    void theProjectOfTheReadmeIsBuiltAndRuns() throws Exception {
        Path project = Files.createDirectories(directory.resolve("shop"));
        write(project);
        Path repository = directory.resolve("repository");
        stage(repository);

        Run run = maven(project, repository, "-o", "spring-boot:run");
        if (run.exitCode() != 0) {
            maven(project, repository, "spring-boot:run"); // fetches what is missing
            run = maven(project, repository, "-o", "spring-boot:run");
        }

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output())
                .contains("mail to Ada: 2 pieces are on their way")
                .contains("refused: nothing to send to Bob")
                .doesNotContain("mail to Bob");
    }

    private static void write(Path project) throws IOException {
        Path readme = ROOT.resolve("README.md");
        Map<String, String> files = new Page(readme, Files.readString(readme)).projectFiles();
        assertThat(files).containsKeys("pom.xml", "src/main/java/shop/Shop.java");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path target = project.resolve(file.getKey());
            Files.createDirectories(target.getParent());
            Files.writeString(target, file.getValue());
        }
    }

    /** What Maven downloaded before, by links, and in front of it what this build made. */
    private static void stage(Path repository) throws IOException {
        Path downloaded =
                Path.of(System.getProperty("maven.repository", System.getProperty("user.home") + "/.m2/repository"));
        linkAll(downloaded, repository, "dev");
        linkAll(downloaded.resolve("dev"), repository.resolve("dev"), "outbox");
        install(repository, "outbox-parent", ROOT.resolve("pom.xml"), null);
        install(repository, "outbox-bom", ROOT.resolve("outbox-bom/pom.xml"), null);
        for (String module : MODULES) {
            Path jar = ROOT.resolve(module + "/target/" + module + "-" + VERSION + ".jar");
            assertThat(jar)
                    .as("the test needs the artifacts of the build: mvn verify, or -am for this module alone")
                    .exists();
            install(repository, module, ROOT.resolve(module + "/pom.xml"), jar);
        }
    }

    private static void linkAll(Path from, Path to, String except) throws IOException {
        Files.createDirectories(to);
        if (!Files.isDirectory(from)) {
            return;
        }
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : entries.toList()) {
                String name = entry.getFileName().toString();
                if (!name.equals(except)) {
                    Files.createSymbolicLink(to.resolve(name), entry.toAbsolutePath());
                }
            }
        }
    }

    private static void install(Path repository, String artifact, Path pom, Path jar) throws IOException {
        Path place = Files.createDirectories(repository.resolve("dev/outbox/" + artifact + "/" + VERSION));
        String name = artifact + "-" + VERSION;
        Files.copy(pom, place.resolve(name + ".pom"), StandardCopyOption.REPLACE_EXISTING);
        if (jar != null) {
            Files.copy(jar, place.resolve(name + ".jar"), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private Run maven(Path project, Path repository, String... arguments) throws IOException, InterruptedException {
        String home = System.getProperty("maven.home");
        List<String> command = new ArrayList<>(
                List.of(home == null ? "mvn" : home + "/bin/mvn", "-B", "-ntp", "-Dmaven.repo.local=" + repository));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile());
        builder.environment().remove("MAVEN_OPTS");
        Process process = builder.start();
        try {
            assertThat(process.waitFor(10, TimeUnit.MINUTES))
                    .as(() -> "Maven did not end; so far it said: " + output())
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return new Run(process.exitValue(), output());
    }

    private String output() {
        try {
            return new String(Files.readAllBytes(directory.resolve("output")), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
