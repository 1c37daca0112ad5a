package outbox.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Events. */
@Command(
        name = "events",
        description = "Lists events, shows one, or delivers some again; over the control center's API.",
        subcommands = {EventsList.class, EventsShow.class, EventsRetry.class})
final class EventsCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "which? ls, show or retry");
    }
}
