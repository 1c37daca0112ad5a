package outbox.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the runbooks tell an operator to type is understood. */
class RunbookCommandsTest {
    private static final Path RUNBOOKS = Path.of(System.getProperty("basedir", "."))
            .resolve("../../docs/runbooks")
            .normalize();
    /** A line of a shell block, or a command in the text. */
    private static final Pattern COMMAND = Pattern.compile("(?m)^ *outbox (.+)$|`outbox ([^`]+)`");

    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    @Test
    void everyCommandIsOne() throws IOException {
        List<String> commands = new ArrayList<>();
        try (Stream<Path> pages = Files.list(RUNBOOKS)) {
            for (Path page : pages.toList()) {
                Matcher command = COMMAND.matcher(Files.readString(page));
                while (command.find()) {
                    commands.add(command.group(1) == null ? command.group(2) : command.group(1));
                }
            }
        }
        assertThat(commands).hasSizeGreaterThan(20);
        assertThat(commands).allSatisfy(command -> OutboxCli.commandLine().parseArgs(words(command)));
    }

    private static String[] words(String command) {
        return WORD.matcher(command)
                .results()
                .map(word -> word.group(1) == null ? word.group(2) : word.group(1))
                .toArray(String[]::new);
    }
}
