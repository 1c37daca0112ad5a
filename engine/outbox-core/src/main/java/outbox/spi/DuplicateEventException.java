package outbox.spi;

import org.jspecify.annotations.Nullable;

/**
 * An event id is already in the table. None of the events of that call was inserted. The transaction can go on where
 * the database allows it after a failed statement (H2, MySQL, MariaDB); PostgreSQL only lets it roll back.
 */
public class DuplicateEventException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DuplicateEventException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
