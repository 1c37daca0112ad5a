package outbox.cli;

/** Exit codes. */
final class ExitCode {
    static final int OK = 0;
    /** Findings of the doctor, schema differences, a broken audit log, or events that could not be acted on. */
    static final int FOUND = 1;
    /** Wrong usage, or the server or database could not be reached. */
    static final int CANNOT_RUN = 2;
    /** The token is missing, wrong or expired. */
    static final int NOT_LOGGED_IN = 3;
    /** The token's role does not allow it. */
    static final int FORBIDDEN = 4;

    static final int NOT_FOUND = 5;
    /** The server refused for another reason, or failed. */
    static final int REFUSED = 6;

    private ExitCode() {}
}
