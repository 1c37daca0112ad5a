package outbox.testing.server;

import java.nio.file.Path;
import java.time.Duration;

/** How one kind of server is prepared and started; what its process does then is the same for all. */
interface ServerProgram {

    DatabaseKind kind();

    /** A name for the program as it is unpacked here and the user it runs as; part of a file name. */
    String version();

    /** Lets the server use its directory as the user it runs as. */
    default void admit(ServerDirectory directory) {}

    /** Creates the system tables in an empty data directory. */
    void initialize(ServerDirectory directory, Duration timeout);

    /** Returns the command that runs the server in the foreground. */
    Command serve(ServerDirectory directory, int port, ServerOptions options);

    /** The signal after which the server ends in good order without waiting for its clients. */
    String stopSignal();

    /** The signal after which the server ends at once, freeing only what would outlive it in the system. */
    String abandonSignal();

    /** The file a crashed server leaves behind that may keep it from starting again. */
    Path lockFile(ServerDirectory directory);

    /** A query for the data directory of the server that answers. */
    String dataDirectoryQuery();

    String jdbcUrl(int port, String database);

    String username();

    String password();
}
