package outbox.testing.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The data of a server that was never started, made once for all JVMs and copied for each server: creating the system
 * tables takes longer than starting on them.
 */
final class FirstData {

    /** To be changed when programs initialise their data in another way. */
    private static final int LAYOUT = 1;

    private FirstData() {}

    static void fill(ServerDirectory directory, ServerProgram program, Duration timeout) {
        Path original;
        try {
            original = SharedFiles.get(program.version() + "-data-" + LAYOUT, fresh -> {
                ServerDirectory temporary = ServerDirectory.in(fresh);
                program.initialize(temporary, timeout);
                ServerDirectory.deleteTree(temporary.temporary());
            });
        } catch (IOException e) {
            throw new UncheckedIOException("The first data of " + program.kind().title() + " cannot be created", e);
        }
        copy(original, directory, timeout);
    }

    /** With owners and modes. */
    static void copy(Path original, ServerDirectory directory, Duration timeout) {
        new Command(List.of(
                        "cp",
                        "-a",
                        original.resolve("data") + "/.",
                        directory.data().toString()))
                .run(directory, null, timeout);
    }
}
