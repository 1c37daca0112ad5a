package outbox.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The SQL of {@code docs/runbooks}. A block that is not for all databases begins with a comment that names them. */
final class RunbookQueries {
    private static final Path RUNBOOKS = Path.of(System.getProperty("basedir", "."))
            .resolve("../../docs/runbooks")
            .normalize();
    private static final Pattern BLOCK = Pattern.compile("```sql\\n(?:-- (.+)\\n)?(.*?)```", Pattern.DOTALL);

    private RunbookQueries() {}

    static List<String> on(String database) throws IOException {
        List<String> queries = new ArrayList<>();
        try (Stream<Path> pages = Files.list(RUNBOOKS)) {
            for (Path page : pages.sorted().toList()) {
                Matcher block = BLOCK.matcher(Files.readString(page));
                while (block.find()) {
                    if (block.group(1) == null || names(block.group(1)).contains(database)) {
                        Stream.of(block.group(2).split(";\\s*\\n", -1))
                                .filter(query -> !query.isBlank())
                                .forEach(queries::add);
                    }
                }
            }
        }
        return queries;
    }

    private static List<String> names(String comment) {
        return List.of(comment.toLowerCase(Locale.ROOT).split(" and "));
    }
}
