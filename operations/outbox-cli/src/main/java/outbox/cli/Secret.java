package outbox.cli;

import java.io.Console;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads a token or password from a file, a prompt or the environment, never from an argument, which other users can
 * see.
 */
final class Secret {
    private Secret() {}

    /** @return {@code null} if none is given */
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
                    ExitCode.CANNOT_RUN, "cannot read the " + what + " from " + file + ": " + e.getMessage());
        }
    }

    /** Since JDK 22 there may be a console without a terminal, which is rejected too. */
    @SuppressWarnings("SystemConsoleNull")
    private static String ask(String what) {
        Console console = System.console();
        char[] typed = console == null ? null : console.readPassword("%s: ", what);
        if (typed == null) {
            throw new CliException(
                    ExitCode.CANNOT_RUN,
                    "there is no terminal to ask for the " + what + "; use a file or the environment");
        }
        return new String(typed);
    }

    static CliException notAsArgument(String what, String variable, String option) {
        return new CliException(
                ExitCode.CANNOT_RUN,
                "a " + what
                        + " on the command line is visible to every user of this machine and stays in the shell history; put it"
                        + " into the environment variable " + variable + " or use " + option);
    }
}
