package outbox.torture;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a node is made of: today's classes, or those of the version before, which {@code verification/version-before} has
 * built in a directory of its own. Immutable.
 */
public final class Version {
    public static final Version TODAY = new Version("n", System.getProperty("java.class.path"), null);

    private static final String DIRECTORY = "torture.version-before";

    private final String prefix;
    private final String classPath;
    private final @Nullable Path directory;

    private Version(String prefix, String classPath, @Nullable Path directory) {
        this.prefix = prefix;
        this.classPath = classPath;
        this.directory = directory;
    }

    /** @throws IllegalStateException if it was not built */
    public static Version before() {
        String directory = System.getProperty(DIRECTORY, "");
        if (directory.isEmpty()) {
            throw new IllegalStateException("the version before is not built: run ./torture --upgrade, or set -D"
                    + DIRECTORY + " to what verification/version-before prints");
        }
        Path nodes = Path.of(directory, "nodes", "target");
        try {
            String libraries = Files.readString(nodes.resolve("classpath.txt")).strip();
            return new Version("before", nodes.resolve("classes") + File.pathSeparator + libraries, Path.of(directory));
        } catch (IOException e) {
            throw new UncheckedIOException("the version before is not complete in " + directory, e);
        }
    }

    /** What the names of its nodes begin with. */
    public String prefix() {
        return prefix;
    }

    String classPath() {
        return classPath;
    }

    /** The statements of a file under {@code outbox/schema} as this version has it. */
    List<String> schema(String name) {
        if (directory == null) {
            throw new IllegalStateException("today's tables come from the store");
        }
        try (Stream<Path> files = Files.walk(directory)) {
            Path file = files.filter(path -> path.endsWith(Path.of("src/main/resources/outbox/schema", name + ".sql")))
                    .filter(path -> path.toString().contains("outbox-jdbc"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no " + name + ".sql in " + directory));
            String code = Files.readString(file)
                    .lines()
                    .filter(line -> !line.strip().startsWith("--"))
                    .collect(Collectors.joining("\n"));
            return Arrays.stream(code.split(";", -1))
                    .map(String::strip)
                    .filter(statement -> !statement.isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
