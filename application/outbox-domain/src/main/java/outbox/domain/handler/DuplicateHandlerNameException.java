package outbox.domain.handler;

/** Two handlers would keep their progress under one name. The message names both. */
public final class DuplicateHandlerNameException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    DuplicateHandlerNameException(String message) {
        super(message);
    }
}
