package outbox.cli;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A token or password: from a file, a prompt or the environment, never from an argument, which others can see. */
final class Secret {
    private Secret() {}

    /** @return {@code null} if there is none in any of these places */
    static @Nullable String find(String what, @Nullable Path file, boolean prompt, String variable) {
        if (file != null) {
            return read(what, file);
        }
        if (prompt) {
            return ask(what);
        }
        String value = System.getenv(variable);
        return value == null || value.isBlank() ? null : value.strip();
    }

    private static String read(String what, Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new CliException(
                    ExitCode.COULD_NOT_LOOK, "cannot read the " + what + " from " + file + ": " + e.getMessage());
        }
    }

    /** From JDK 22 on there is a console without a terminal too; nobody types there, which is refused all the same. */
    @SuppressWarnings("SystemConsoleNull")
    private static String ask(String what) {
        Console console = System.console();
        char[] typed = console == null ? null : console.readPassword("%s: ", what);
        if (typed == null) {
            throw new CliException(
                    ExitCode.COULD_NOT_LOOK,
                    "there is no terminal to ask for the " + what + "; use a file or the environment");
        }
        return new String(typed);
    }

    static CliException notAsArgument(String what, String variable, String option) {
        return new CliException(
                ExitCode.COULD_NOT_LOOK,
                "a " + what
                        + " on the command line can be seen by every user of this machine and stays in its history; put it"
                        + " into the environment variable " + variable + " or use " + option);
    }
}
