package outbox.domain.handler;

/** Two handlers have the same name, under which their progress is stored. */
public final class DuplicateHandlerNameException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    DuplicateHandlerNameException(String message) {
        super(message);
    }
}
