package outbox.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Base of the commands that use the control center's API for one application. */
abstract class ApiCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    CommandSpec spec;

    @Mixin
    Screen screen = new Screen();

    @Mixin
    private ServerOptions server = new ServerOptions();

    /**
     * @param app the path of the application, such as {@code /apps/orders}
     * @return the exit code
     */
    abstract int call(Api api, String app);

    @Override
    public final Integer call() {
        checkUsage();
        Api api = server.api();
        int code = call(api, "/apps/" + Api.segment(server.app(api)));
        Screen.out(spec).flush();
        return code;
    }

    /** Called before anything is sent. @throws ParameterException if options are wrong */
    void checkUsage() {}

    ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    void atLeastOne(String option, int value) {
        if (value < 1) {
            throw wrongUsage(option + " must be 1 or more, not " + value);
        }
    }
}
