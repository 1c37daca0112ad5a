package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The migrations of all modules, in the source tree: Flyway and Liquibase run the same files. */
@Tag("any-boot")
class MigrationFilesTest {
    private static final Path ROOT = Path.of("..", "..", "..");
    private static final Pattern SQL_FILE = Pattern.compile("<sqlFile path=\"([^\"]+)\"");
    private static final Pattern NAME = Pattern.compile("V(2026\\d{10})__((?:outbox|inbox)_\\w+)\\.sql");

    private static List<Path> resources() {
        return Stream.of("engine", "application", "operations")
                .flatMap(folder -> list(ROOT.resolve(folder)))
                .map(module -> module.resolve("src/main/resources"))
                .filter(Files::isDirectory)
                .toList();
    }

    private static Stream<Path> list(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Paths of the files on the class path. */
    private static Stream<String> files(String part, String suffix) {
        return resources().stream().flatMap(root -> {
            try (Stream<Path> tree = Files.walk(root)) {
                return tree
                        .map(file -> root.relativize(file).toString())
                        .filter(file -> file.contains(part) && file.endsWith(suffix))
                        .toList()
                        .stream();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static String text(String file) {
        return resources().stream()
                .map(root -> root.resolve(file))
                .filter(Files::exists)
                .findFirst()
                .map(path -> {
                    try {
                        return Files.readString(path);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .orElseThrow(() -> new AssertionError("there is no " + file));
    }

    @Test
    void everyMigrationIsInAChangeLogAndNothingElse() {
        Set<String> included = files("/liquibase/", ".xml")
                .flatMap(file -> SQL_FILE.matcher(text(file)).results())
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(included).hasSizeGreaterThan(30);
        assertThat(files("/migration/", ".sql")).containsExactlyInAnyOrderElementsOf(included);
    }

    @Test
    void aVersionIsUsedForOneTableOnly() {
        Map<String, Set<String>> names = files("/migration/", ".sql")
                .map(file -> {
                    Matcher name = NAME.matcher(file.substring(file.lastIndexOf('/') + 1));
                    assertThat(name.matches()).as(file).isTrue();
                    return name;
                })
                .collect(Collectors.groupingBy(
                        name -> name.group(1), Collectors.mapping(name -> name.group(2), Collectors.toSet())));

        assertThat(names)
                .hasSizeGreaterThan(7)
                .allSatisfy((version, tables) -> assertThat(tables).as(version).hasSize(1));
    }
}
