package outbox.testing.server;

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
}
