package outbox.cli;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code outbox completion}. */
@Command(
        name = "completion",
        description = "Prints a script for bash or zsh that completes commands and options with the tab key.",
        footerHeading = "%nExamples:%n",
        footer = {"  source <(outbox completion)", "  outbox completion > /etc/bash_completion.d/outbox"})
final class CompletionCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        Screen.out(spec).print(AutoComplete.bash("outbox", spec.root().commandLine()));
        Screen.out(spec).flush();
    }
}
