package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A new project, written by following the README word for word, works: files and commands are those of the page. The
 * commands see a copy of this working tree and a local repository that holds what Maven has downloaded before, and none of
 * this project's artifacts. They run offline; on a machine that lacks something and may ask for it, that is fetched first.
 */
class ReadmeProjectIT {
    private static final Path ROOT = Path.of(System.getProperty("basedir", "."))
            .resolve("../..")
            .toAbsolutePath()
            .normalize();

    @TempDir
    Path directory;

    private final Page readme = readme();
    private Path localRepository;

    private static Page readme() {
        Path file = ROOT.resolve("README.md");
        try {
            return new Page(file, Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Run(int exitCode, String output) {}

    @BeforeEach
    void downloadedArtifactsOnly() throws IOException {
        localRepository = directory.resolve("local-repository");
        Path downloaded =
                Path.of(System.getProperty("maven.repository", System.getProperty("user.home") + "/.m2/repository"));
        linkAll(downloaded, localRepository, "dev");
        linkAll(downloaded.resolve("dev"), localRepository.resolve("dev"), "outbox");
    }

    @Test
    void theProjectOfTheReadmeIsBuiltAndRuns() throws Exception {
        Path repository = directory.resolve("repository");
        copyWorkingTree(repository);
        Path project = directory.resolve("project");
        write(readme.projectFiles(), project);

        Run install = type("repository", repository);
        assertThat(install.exitCode()).as(install.output()).isZero();
        assertThat(install.output()).as("-DskipTests is enough").doesNotContain("T E S T S");
        Run run = type("project", project);

        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).contains("mail to Ada: 2 pieces are on their way");
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

    private static void write(Map<String, String> files, Path project) throws IOException {
        assertThat(files).containsKeys("pom.xml", "src/main/java/shop/Shop.java");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path target = project.resolve(file.getKey());
            Files.createDirectories(target.getParent());
            Files.writeString(target, file.getValue());
        }
    }

    /** Sources only: other modules of a parallel build are writing to their targets now. */
    private static void copyWorkingTree(Path to) throws IOException {
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path from, BasicFileAttributes attributes) throws IOException {
                String name = from.getFileName().toString();
                if (name.equals("target") || name.equals(".git")) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(to.resolve(ROOT.relativize(from)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path from, BasicFileAttributes attributes) throws IOException {
                Files.copy(from, to.resolve(ROOT.relativize(from)), StandardCopyOption.COPY_ATTRIBUTES);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** Runs what the README says, as it stands there. */
    private Run type(String place, Path where) throws IOException, InterruptedException {
        String commands = readme.commands().get(place);
        assertThat(commands).as("commands to run in the " + place).isNotBlank();
        Path settings = Files.createDirectories(where.resolve(".mvn")).resolve("maven.config");
        String online = Files.exists(settings) ? Files.readString(settings).stripTrailing() + "\n" : "";
        Files.writeString(settings, online + "-o\n");
        Run offline = shell(commands, where);
        if (offline.exitCode() == 0) {
            return offline;
        }
        Files.writeString(settings, online, StandardOpenOption.TRUNCATE_EXISTING);
        return shell(commands, where);
    }

    private Run shell(String commands, Path where) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("sh", "-ec", commands)
                .directory(where.toFile())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile());
        builder.environment().put("MAVEN_OPTS", "-Dmaven.repo.local=" + localRepository + " -XX:TieredStopAtLevel=1");
        String home = System.getProperty("maven.home");
        if (home != null) {
            builder.environment().merge("PATH", home + "/bin", (path, bin) -> bin + File.pathSeparator + path);
        }
        Process process = builder.start();
        try {
            assertThat(process.waitFor(30, TimeUnit.MINUTES))
                    .as(() -> "\"" + commands.strip() + "\" did not end; so far it said: " + output())
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
