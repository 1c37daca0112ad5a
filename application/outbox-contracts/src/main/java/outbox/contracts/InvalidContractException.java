package outbox.contracts;

import org.jspecify.annotations.Nullable;

/** A contract cannot be used: it is no JSON Schema, refers to something outside, or its file is named oddly. */
public class InvalidContractException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidContractException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
