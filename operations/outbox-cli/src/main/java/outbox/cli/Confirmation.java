package outbox.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Asks before something is changed that cannot be undone. */
final class Confirmation {
    @Option(
            names = {"-y", "--yes"},
            description = "do not ask for confirmation")
    private boolean yes;

    /** @throws CliException if the user does not confirm, or there is no terminal to ask */
    void require(CommandSpec spec) {
        if (!yes && !(Screen.isTerminal(spec) && isYes(spec))) {
            throw new CliException(
                    ExitCode.CANNOT_RUN, "not confirmed, nothing was changed; use --yes to skip the confirmation");
        }
    }

    private static boolean isYes(CommandSpec spec) {
        Screen.say(spec, "Continue? [y/N]");
        try {
            String typed = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset())).readLine();
            return typed != null && typed.strip().equalsIgnoreCase("y");
        } catch (IOException e) {
            return false;
        }
    }
}
