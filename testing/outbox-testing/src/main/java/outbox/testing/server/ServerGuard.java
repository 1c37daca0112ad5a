package outbox.testing.server;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;

/**
 * Ends a server and deletes its directory when this JVM is gone. A shutdown hook would be too early: hooks run at the same
 * time, and that of an application may still need the server. Thread-safe.
 *
 * <p>The guard is a shell that reads from a pipe of which this JVM holds the other end; when the JVM dies, by whatever
 * cause, the pipe ends. This needs no privileges and nothing but a POSIX shell. The last line read names the process to
 * end, an empty line none.
 */
final class ServerGuard {

    private static final Logger LOG = System.getLogger(ServerGuard.class.getName());

    /** Arguments: signal, directory. Deaf to signals that are sent to the whole group on their way to the JVM. */
    private static final String SCRIPT = """
            trap '' INT HUP TERM
            pid=
            while read -r line; do pid=$line; done
            if [ -n "$pid" ]; then
              kill -s "$1" "$pid"
              i=0
              while kill -0 "$pid" && [ $i -lt 50 ]; do sleep 0.1; i=$((i + 1)); done
              kill -s KILL "$pid"
            fi
            i=0
            until rm -rf "$2" || [ $i -ge 20 ]; do sleep 0.5; i=$((i + 1)); done
            """;

    private static final long NOBODY = 0;

    private final Process shell;
    private long watched = NOBODY;

    private ServerGuard(Process shell) {
        this.shell = shell;
    }

    static ServerGuard over(ServerDirectory directory, String signal) {
        try {
            return new ServerGuard(new ProcessBuilder(
                            "sh",
                            "-c",
                            SCRIPT,
                            "outbox-server-guard",
                            signal,
                            directory.root().toString())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException("No shell to guard the server can be started: " + e.getMessage(), e);
        }
    }

    synchronized void watch(long pid) {
        watched = pid;
        tell(Long.toString(pid));
    }

    /** To be called when the process has ended: its id may soon be that of a stranger. */
    synchronized void forget(long pid) {
        if (watched == pid) {
            watched = NOBODY;
            tell("");
        }
    }

    void dismiss() {
        shell.destroyForcibly();
    }

    private void tell(String line) {
        try {
            OutputStream pipe = shell.getOutputStream();
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "The guard is gone; nobody ends the server unless it is closed", e);
        }
    }
}
