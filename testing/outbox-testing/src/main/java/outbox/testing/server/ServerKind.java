package outbox.testing.server;

/** What messages and directories of a server are named after. */
interface ServerKind {
    /** The name as its makers write it. */
    String title();

    /** The name in URLs, properties and directories. */
    String id();

    /** The beginning of the system properties by which a user names a server of this kind. */
    String property();
}
