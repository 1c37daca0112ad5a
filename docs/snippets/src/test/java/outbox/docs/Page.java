package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One Markdown file. */
record Page(Path file, String text) {
    /** A Java block, with the comment in front of it that names its snippet, if there is one. */
    private static final Pattern JAVA_BLOCK =
            Pattern.compile("(?:<!-- snippet: (\\S+) -->\\n)?```java\\n(.*?)```\\n", Pattern.DOTALL);

    /** A block that is a file of a project, built and run by {@link ReadmeProjectIT}. */
    private static final Pattern PROJECT_FILE =
            Pattern.compile("<!-- file: (\\S+) -->\\n```\\w+\\n(.*?)```\\n", Pattern.DOTALL);

    /** Commands of that project, run by the same test. */
    private static final Pattern COMMANDS =
            Pattern.compile("<!-- run in: (\\S+) -->\\n```bash\\n(.*?)```\\n", Pattern.DOTALL);

    /** A block that is a whole file of the repository, most often of a sample. */
    private static final Pattern SAMPLE_FILE =
            Pattern.compile("(<!-- sample: (\\S+) -->\\n```\\w+\\n)(.*?)```\\n", Pattern.DOTALL);

    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("^(#+) (.+)$", Pattern.MULTILINE);
    private static final Pattern CODE_BLOCK = Pattern.compile("^```.*?^```$", Pattern.DOTALL | Pattern.MULTILINE);

    /** @param snippet the id the page gives, or {@code null} */
    record JavaBlock(String snippet, String code) {}

    /** Asserts that the part of a page between its two comments is this; {@code -Ddocs.update} writes it instead. */
    static void assertGenerated(Path file, String part, String expected) throws IOException {
        String begin = "<!-- " + part + " -->\n";
        String end = "<!-- end of " + part + " -->\n";
        String page = Files.readString(file);
        assertThat(page).contains(begin).contains(end);
        String generated =
                page.substring(0, page.indexOf(begin) + begin.length()) + expected + page.substring(page.indexOf(end));
        if (System.getProperty("docs.update") != null) {
            Files.writeString(file, generated);
            return;
        }
        assertThat(page).isEqualTo(generated);
    }

    static List<Page> all(Path root) throws IOException {
        List<Page> pages = new ArrayList<>();
        try (Stream<Path> top = Files.list(root);
                Stream<Path> docs = Files.walk(root.resolve("docs"))) {
            for (Path file : Stream.concat(top, docs)
                    .filter(path -> path.toString().endsWith(".md"))
                    .sorted()
                    .toList()) {
                pages.add(new Page(file, Files.readString(file)));
            }
        }
        return pages;
    }

    List<JavaBlock> javaBlocks() {
        return JAVA_BLOCK
                .matcher(SAMPLE_FILE
                        .matcher(PROJECT_FILE.matcher(text).replaceAll(""))
                        .replaceAll(""))
                .results()
                .map(block -> new JavaBlock(block.group(1), block.group(2)))
                .toList();
    }

    /** Contents of the files the page tells to write, by their names. */
    Map<String, String> projectFiles() {
        Map<String, String> files = new LinkedHashMap<>();
        PROJECT_FILE.matcher(text).results().forEach(block -> files.put(block.group(1), block.group(2)));
        return files;
    }

    /** Contents of the whole files the page shows, by their names. */
    Map<String, String> sampleFiles() {
        Map<String, String> files = new LinkedHashMap<>();
        SAMPLE_FILE.matcher(text).results().forEach(block -> files.put(block.group(2), block.group(3)));
        return files;
    }

    /** The page with each whole file as it is now. */
    String withSamples(UnaryOperator<String> content) {
        return SAMPLE_FILE
                .matcher(text)
                .replaceAll(
                        block -> Matcher.quoteReplacement(block.group(1) + content.apply(block.group(2)) + "```\n"));
    }

    /** What the page tells to type, by the directory it is typed in. */
    Map<String, String> commands() {
        Map<String, String> commands = new LinkedHashMap<>();
        COMMANDS.matcher(text).results().forEach(block -> commands.put(block.group(1), block.group(2)));
        return commands;
    }

    /** The page with each named Java block as its snippet is now. */
    String with(Map<String, String> snippets) {
        return JAVA_BLOCK.matcher(text).replaceAll(block -> {
            String snippet = block.group(1);
            String code = snippet == null ? null : snippets.get(snippet);
            return Matcher.quoteReplacement(
                    code == null ? block.group() : "<!-- snippet: " + snippet + " -->\n```java\n" + code + "```\n");
        });
    }

    /** Targets of links to files of the repository, without anchors. */
    List<String> localLinks() {
        return LINK.matcher(prose())
                .results()
                .map(link -> link.group(1))
                .filter(target -> !target.startsWith("http"))
                .map(target -> target.replaceFirst("#.*", ""))
                .filter(target -> !target.isEmpty())
                .toList();
    }

    /** The depth of each heading, in order. */
    List<Integer> headings() {
        return HEADING.matcher(prose())
                .results()
                .map(heading -> heading.group(1).length())
                .toList();
    }

    List<String> codeBlocks() {
        return CODE_BLOCK.matcher(text).results().map(block -> block.group()).toList();
    }

    /** The first cell of each table row, without the marks of code. */
    List<String> firstCells() {
        return prose().lines()
                .filter(line -> line.startsWith("| "))
                .map(line -> line.split("\\|")[1].strip().replace("`", ""))
                .toList();
    }

    private String prose() {
        return CODE_BLOCK.matcher(text).replaceAll("");
    }

    @Override
    public String toString() {
        return file.normalize().toString();
    }
}
