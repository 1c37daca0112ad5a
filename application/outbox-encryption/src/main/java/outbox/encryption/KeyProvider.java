package outbox.encryption;

/**
 * Where the keys are that protect data keys: a {@link Keyring}, or a key management service. Payloads never come here;
 * they are encrypted with data keys, and only those are wrapped and unwrapped. Implementations are thread-safe.
 *
 * <p>A key id is stored in clear in every row. It consists of letters, digits and {@code _ : / @ -}, at most
 * {@value #MAX_KEY_ID_LENGTH} characters.
 */
public interface KeyProvider {
    int MAX_KEY_ID_LENGTH = 200;

    /** The key new data keys are wrapped with. Asked for every event: it is answered from memory. */
    String currentKeyId();

    /**
     * Encrypts a data key. Called in a business transaction, once for many events.
     *
     * @param dataKey 32 bytes; not kept
     */
    byte[] wrap(String keyId, byte[] dataKey);

    /**
     * Decrypts what {@link #wrap} returned. Its results are remembered for a while.
     *
     * @param keyId as the row has it; whoever can write rows can write this. Only keys of your own may be used, not any
     *     key a service would find under that name.
     * @throws DecryptionException if there is no such key, or it does not fit: the event is dead, until somebody replays it
     * @throws RuntimeException any other says that the keys cannot be reached now: the event waits in the table
     */
    byte[] unwrap(String keyId, byte[] wrapped);
}
