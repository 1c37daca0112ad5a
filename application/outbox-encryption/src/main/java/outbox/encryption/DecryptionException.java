package outbox.encryption;

import org.jspecify.annotations.Nullable;

/** What is stored cannot be decrypted, now or later: it was changed or moved, or its key is not the right one. */
public class DecryptionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DecryptionException(String message) {
        this(message, null);
    }

    public DecryptionException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
