package outbox.testing.server;

import java.net.URISyntaxException;
import java.nio.file.Path;

/** Tells what to add when a server that runs from the class path is not there. */
final class RequiredClass {

    private RequiredClass() {}

    /** @throws IllegalStateException if the class is not on the class path; the message names the artifact */
    static void of(ServerKind kind, String className, String coordinates) {
        try {
            Class.forName(className, false, RequiredClass.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(
                    kind.title() + " (" + className + ") is not on the class path. Add " + coordinates
                            + " in test scope.",
                    e);
        }
    }

    /** Returns the name of the file that a class comes from, which says its version. */
    static String jarOf(String className) {
        try {
            Class<?> type = Class.forName(className, false, RequiredClass.class.getClassLoader());
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .getFileName()
                    .toString();
        } catch (ClassNotFoundException | URISyntaxException e) {
            throw new IllegalStateException("The file of " + className + " cannot be found", e);
        }
    }
}
