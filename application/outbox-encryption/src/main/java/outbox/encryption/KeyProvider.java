package outbox.encryption;

/**
 * Provides the keys that protect data keys: a {@link Keyring}, or a key management service. It never sees payloads:
 * they are encrypted with data keys, which it wraps and unwraps. Implementations are thread-safe.
 *
 * <p>The key id is stored in plaintext in every row. It consists of letters, digits and {@code _ : / @ -}, at most
 * {@value #MAX_KEY_ID_LENGTH} characters.
 */
public interface KeyProvider {
    int MAX_KEY_ID_LENGTH = 200;

    /** The id of the key that wraps new data keys. Called for every event, so it must be fast. */
    String currentKeyId();

    /**
     * Encrypts a data key. Called in a business transaction, once for many events.
     *
     * @param dataKey 32 bytes; not kept
     */
    byte[] wrap(String keyId, byte[] dataKey);

    /**
     * Decrypts the result of {@link #wrap}. Results are cached for a while.
     *
     * @param keyId from the row, so it is not trusted. Only use your own keys, not any key that a service finds under
     *     this name.
     * @throws DecryptionException if there is no such key, or it is the wrong one: the event becomes a dead letter
     * @throws RuntimeException any other exception means temporarily unavailable: the event waits in the table
     */
    byte[] unwrap(String keyId, byte[] wrapped);
}
