package outbox.testing.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** As whom a server runs that does not want the user of this JVM. */
enum RunAs {
    /** As the user of this JVM. */
    CURRENT_USER(""),

    /** In a user namespace where root has no name and no privileges; files still belong to root outside. */
    USER_NAMESPACE("unshare -U --"),

    /** As the user id that owns nothing, where the kernel refuses user namespaces. */
    NOBODY("setpriv --reuid=65534 --regid=65534 --clear-groups --");

    private final String prefix;

    RunAs(String prefix) {
        this.prefix = prefix;
    }

    /**
     * Chooses a way to run a program that refuses root and users the system has no name for.
     *
     * @param own a file of the user of this JVM
     */
    static RunAs unprivileged(Path own) {
        boolean nameless = System.getProperty("user.name").equals("?");
        if (owner(own) != 0 && !nameless) {
            return CURRENT_USER;
        }
        if (USER_NAMESPACE.isPossible()) {
            return USER_NAMESPACE;
        }
        if (NOBODY.isPossible()) {
            return NOBODY;
        }
        throw new IllegalStateException("PostgreSQL refuses to run as root or as a user without a name, and neither"
                + " 'unshare -U' nor 'setpriv --reuid=65534' works here. Run the tests as another user, or name a"
                + " server that already runs by the system property outbox.test.postgres.url.");
    }

    boolean isPossible() {
        return new Command(wrap(List.of("true"))).succeeds();
    }

    /** Returns the words that run the given ones as this user. */
    List<String> wrap(List<String> words) {
        List<String> wrapped = new ArrayList<>(prefix.isEmpty() ? List.of() : List.of(prefix.split(" ", -1)));
        wrapped.addAll(words);
        return List.copyOf(wrapped);
    }

    /** Gives this user the server's directory to write and the program's files to read. */
    void admit(ServerDirectory directory, Path program) {
        if (this != NOBODY) {
            return;
        }
        boolean admitted = new Command(List.of(
                                "chown", "-R", "65534:65534", directory.root().toString()))
                        .succeeds()
                && new Command(List.of("chmod", "-R", "a+rX", program.toString())).succeeds();
        if (!admitted) {
            throw new IllegalStateException(
                    "User id 65534 cannot be given access to " + directory.root() + " and " + program);
        }
    }

    private static int owner(Path path) {
        try {
            return (Integer) Files.getAttribute(path, "unix:uid");
        } catch (IOException e) {
            throw new UncheckedIOException("The owner of " + path + " cannot be read", e);
        }
    }
}
