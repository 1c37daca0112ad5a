package outbox.testing.server;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.LifecycleMethodExecutionExceptionHandler;

/**
 * Lets a test that was not run, because a build leaves its server out ({@code outbox.test.without}), end without complaints
 * about what its clean-up does not find. JUnit finds it with {@code junit.jupiter.extensions.autodetection.enabled=true}.
 * Stateless, thread-safe.
 */
public final class LeftOutServersExtension implements LifecycleMethodExecutionExceptionHandler {
    /** For JUnit. */
    public LeftOutServersExtension() {}

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
                .filter(aborted -> String.valueOf(aborted.getMessage()).contains(LeftOutServers.NOT_RUN))
                .isPresent();
        if (!notRun) {
            throw failure;
        }
    }
}
