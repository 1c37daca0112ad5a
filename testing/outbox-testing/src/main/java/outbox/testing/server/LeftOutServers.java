package outbox.testing.server;

import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * Servers that a build leaves out, by the system property {@code outbox.test.without}, such as {@code mysql,mariadb}: JUnit
 * reports tests that need one as not run, with the reason. Without the property a missing server is a failure.
 */
final class LeftOutServers {
    static final String NOT_RUN = "NOT RUN: needs ";

    private LeftOutServers() {}

    static void check(DatabaseKind kind) {
        boolean leftOut = List.of(System.getProperty("outbox.test.without", "").split(","))
                .contains(kind.id());
        if (leftOut && ConfiguredServer.find(kind).isEmpty()) {
            Abort.because(
                    NOT_RUN + kind.title() + ", which is left out here (outbox.test.without); to use a server that"
                            + " already runs: -D" + kind.property() + ".url=..., .user and .password");
        }
    }

    /** A class of its own, so that servers start without JUnit on the class path. */
    private static final class Abort {
        private Abort() {}

        static void because(String reason) {
            Assumptions.abort(reason);
        }
    }
}
