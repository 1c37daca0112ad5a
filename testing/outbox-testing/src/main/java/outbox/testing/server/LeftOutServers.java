package outbox.testing.server;

import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;

/**
 * Servers that a build leaves out, by the system property {@code outbox.test.without}, such as {@code mysql,mariadb}: JUnit
 * reports tests that need one as not run, with the reason. Without the property a missing server is a failure.
 *
 * <p>As an extension of JUnit, which needs {@code junit.jupiter.extensions.autodetection.enabled=true}, it lets such a test
 * end without complaints about what its clean-up does not find. Stateless, thread-safe.
 */
public final class LeftOutServers implements LifecycleMethodExecutionExceptionHandler {
    private static final String NOT_RUN = "NOT RUN: needs ";

    /** For JUnit. */
    public LeftOutServers() {}

    static void check(DatabaseKind kind) {
        boolean leftOut = List.of(System.getProperty("outbox.test.without", "").split(","))
                .contains(kind.id());
        if (leftOut && ConfiguredServer.find(kind).isEmpty()) {
            Assumptions.abort(
                    NOT_RUN + kind.title() + ", which is left out here (outbox.test.without); to use a server that"
                            + " already runs: -D" + kind.property() + ".url=..., .user and .password");
        }
    }

    @Override
    public void handleAfterEachMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throwUnlessNotRun(context, failure);
    }

    @Override
    public void handleAfterAllMethodExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        throwUnlessNotRun(context, failure);
    }

    private static void throwUnlessNotRun(ExtensionContext context, Throwable failure) throws Throwable {
        boolean notRun = context.getExecutionException()
                .filter(aborted -> String.valueOf(aborted.getMessage()).contains(NOT_RUN))
                .isPresent();
        if (!notRun) {
            throw failure;
        }
    }
}
