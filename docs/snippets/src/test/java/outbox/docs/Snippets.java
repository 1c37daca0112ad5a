package outbox.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Regions of the test sources that pages show. A region begins with the comment {@code // snippet: name} and ends with
 * {@code // end}; its id is the class name and that name: {@code PlainJdbcSnippets#write}.
 */
final class Snippets {
    private static final String BEGIN = "// snippet: ";
    private static final String END = "// end";

    private Snippets() {}

    static Map<String, String> all(List<Path> sources) throws IOException {
        Map<String, String> snippets = new TreeMap<>();
        for (Path root : sources) {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : files.filter(
                                path -> path.toString().matches(".*(Snippets(Test)?|/src/main/java/.*)\\.java"))
                        .toList()) {
                    snippets.putAll(in(file));
                }
            }
        }
        return snippets;
    }

    private static Map<String, String> in(Path file) throws IOException {
        String className = file.getFileName().toString().replace(".java", "");
        Map<String, String> snippets = new TreeMap<>();
        String name = null;
        List<String> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            String text = line.strip();
            if (text.startsWith(BEGIN)) {
                name = text.substring(BEGIN.length());
                lines.clear();
            } else if (text.equals(END) && name != null) {
                snippets.put(className + "#" + name, withoutIndent(lines));
                name = null;
            } else if (name != null) {
                lines.add(line);
            }
        }
        if (name != null) {
            throw new IllegalStateException("snippet " + name + " in " + file + " has no '" + END + "'");
        }
        return snippets;
    }

    private static String withoutIndent(List<String> lines) {
        return String.join("\n", lines).stripIndent() + "\n";
    }
}
