package outbox.encryption;

import org.jspecify.annotations.Nullable;

/** The stored data can never be decrypted: it was changed or moved, or the key is wrong. */
public class DecryptionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DecryptionException(String message) {
        this(message, null);
    }

    public DecryptionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
