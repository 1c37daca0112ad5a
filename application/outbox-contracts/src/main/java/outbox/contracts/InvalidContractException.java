package outbox.contracts;

import org.jspecify.annotations.Nullable;

/** A contract is invalid: it is not a JSON Schema, has external references, or its file name is wrong. */
public class InvalidContractException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidContractException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
