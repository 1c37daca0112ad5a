package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Pages that show whole files show them as they are built and run; {@code -Ddocs.update} writes them. */
class SamplePagesTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", ".")).resolve("../..").normalize();
    private static final Path PRODUCTION = ROOT.resolve("samples/outbox-production");
    /** What a pom needs in this repository only, where two of them share the sources. */
    private static final Pattern REPOSITORY_ONLY =
            Pattern.compile("^ *<!-- repository only -->\\n.*?<!-- end -->\\n", Pattern.DOTALL | Pattern.MULTILINE);

    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Z_]+)}");

    private static String content(String name) {
        try {
            return REPOSITORY_ONLY.matcher(Files.readString(ROOT.resolve(name))).replaceAll("");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Page page() throws IOException {
        Path file = ROOT.resolve("docs/production-application.md");
        return new Page(file, Files.readString(file));
    }

    @Test
    void filesAreShownAsTheyAre() throws IOException {
        for (Page page : Page.all(ROOT)) {
            String expected = page.withSamples(SamplePagesTest::content);
            if (System.getProperty("docs.update") != null && !expected.equals(page.text())) {
                Files.writeString(page.file(), expected);
                continue;
            }
            assertThat(page.text()).as("%s; -Ddocs.update renews it", page).isEqualTo(expected);
        }
    }

    @Test
    void everyFileOfTheProductionApplicationIsShown() throws IOException {
        try (Stream<Path> files = Files.walk(PRODUCTION)) {
            List<String> all = files.filter(Files::isRegularFile)
                    .map(file -> ROOT.relativize(file).toString())
                    .filter(file -> !file.contains("/target/") && !file.equals("samples/outbox-production/pom.xml"))
                    .toList();
            assertThat(all).hasSizeGreaterThan(10);
            assertThat(page().sampleFiles().keySet()).containsExactlyInAnyOrderElementsOf(all);
        }
    }

    @Test
    void theDeploymentNamesEveryVariableOfTheSettings() throws IOException {
        String deployment = Files.readString(PRODUCTION.resolve("deploy/orders.yaml"));
        List<String> variables = VARIABLE.matcher(
                        Files.readString(PRODUCTION.resolve("src/main/resources/application.properties")))
                .results()
                .map(variable -> variable.group(1))
                .toList();
        assertThat(variables)
                .isNotEmpty()
                .allSatisfy(variable -> assertThat(deployment).contains(variable));
    }

    @Test
    void bothPomsNameTheVersionsOfTheBuild() throws IOException {
        String build = Files.readString(ROOT.resolve("pom.xml"));
        for (String line : List.of("boot-3 spring-boot.oldest.version", "boot-4 spring-boot.version")) {
            String[] words = line.split(" ", 2);
            String version = build.replaceAll("(?s).*<" + Pattern.quote(words[1]) + ">(.+?)</.*", "$1");
            assertThat(Files.readString(PRODUCTION.resolve(words[0]).resolve("pom.xml")))
                    .contains("<version>" + version + "</version>");
        }
    }
}
