package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of beans that an application can replace, in {@code docs/spring-boot.md}. */
class BeansPageTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", ".")).resolve("../..").normalize();
    private static final Path STARTER = ROOT.resolve("spring/outbox-spring-boot-autoconfigure/src/main/java");
    private static final Path TESTS = ROOT.resolve("verification/outbox-starter-tests/src");

    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern TEST = Pattern.compile("(\\w+Test|\\w+IT)\\.(\\w+)");
    /** The type, if it is given, or else the return type of the method; annotations in between. */
    private static final Pattern REPLACEABLE = Pattern.compile(
            "@ConditionalOnMissingBean(?:\\((\\w+)\\.class\\))?\\s+(?:@[\\w.]+(?:\\([^)]*\\))?\\s+)*(?:static class )?(\\w+)");

    /** Parts of the endpoints and of the relay, which nobody has a reason to replace. */
    private static final Set<String> INTERNAL =
            Set.of("CdcRelay", "ListenerTimes", "OutboxDoctorEndpoint", "OutboxEndpoint", "OutboxEndpointWebExtension");

    private record Row(List<String> beans, List<String> tests) {}

    private static List<Row> rows() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/spring-boot.md"));
        String part = page.substring(page.indexOf("| your bean |"));
        List<Row> rows = new ArrayList<>();
        part.lines().skip(2).takeWhile(line -> line.startsWith("|")).forEach(line -> {
            String[] cells = line.split("\\|");
            rows.add(new Row(codes(cells[1]), cells.length > 3 ? codes(cells[3]) : List.of()));
        });
        assertThat(rows).hasSizeGreaterThan(20);
        return rows;
    }

    private static List<String> codes(String cell) {
        return CODE.matcher(cell).results().map(code -> code.group(1)).toList();
    }

    private static List<String> sources(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(BeansPageTest::read)
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void everyRowNamesATestThatExists() throws IOException {
        List<String> sources = sources(TESTS);
        assertThat(rows()).allSatisfy(row -> {
            assertThat(row.tests()).as("tests of %s", row.beans()).isNotEmpty();
            assertThat(row.tests()).allSatisfy(name -> {
                MatchResult test = TEST.matcher(name).results().findFirst().orElseThrow();
                assertThat(sources)
                        .as(name)
                        .anyMatch(source -> source.contains("\nclass " + test.group(1) + " ")
                                && source.contains("    void " + test.group(2) + "("));
            });
        });
    }

    @Test
    void everyBeanOfTheStarterThatCanBeReplacedHasARow() throws IOException {
        Set<String> replaceable = new TreeSet<>();
        for (String source : sources(STARTER)) {
            REPLACEABLE
                    .matcher(source)
                    .results()
                    .map(bean -> bean.group(1) == null ? bean.group(2) : bean.group(1))
                    .forEach(replaceable::add);
        }
        replaceable.removeAll(INTERNAL);
        Set<String> listed = new TreeSet<>();
        rows().forEach(row -> listed.addAll(row.beans()));
        assertThat(replaceable).hasSizeGreaterThan(15).isSubsetOf(listed);
    }
}
