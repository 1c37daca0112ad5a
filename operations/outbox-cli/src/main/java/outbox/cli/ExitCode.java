package outbox.cli;

/** How the command ends. */
final class ExitCode {
    static final int OK = 0;
    /** The doctor found something, schemas differ, or not all events could be acted on. */
    static final int FOUND = 1;
    /** Wrong usage, or the server or database could not be reached. */
    static final int COULD_NOT_LOOK = 2;
    /** The token is missing, wrong or expired. */
    static final int NOT_LOGGED_IN = 3;
    /** The token's role does not allow it. */
    static final int FORBIDDEN = 4;

    static final int NOT_FOUND = 5;
    /** The server refused for another reason, or failed. */
    static final int REFUSED = 6;

    private ExitCode() {}
}
