package outbox.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code outbox events}. */
@Command(
        name = "events",
        description = "Lists, shows and follows events, and acts on them, through the control center's API.",
        subcommands = {
            EventsList.class,
            EventsShow.class,
            EventsTail.class,
            EventsAct.Retry.class,
            EventsAct.Skip.class,
            EventsAct.Park.class,
            EventsAct.Delete.class,
            EventsClone.class
        })
final class EventsCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(
                spec.commandLine(), "missing subcommand: ls, show, tail, retry, skip, park, delete or clone");
    }
}
