package outbox.node.db;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** Encrypts texts before they are stored in a database: AES-256-GCM, bound to their row. Thread-safe. */
public final class SecretBox {
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final SecretKey key;
    private final String unreadable;
    private final SecureRandom random = new SecureRandom();

    /** @param unreadable error message for a row that cannot be decrypted; {@code %s} is the row */
    public SecretBox(SecretKey key, String unreadable) {
        this.key = key;
        this.unreadable = unreadable;
    }

    public String close(String row, String text) {
        byte[] nonce = new byte[NONCE];
        random.nextBytes(nonce);
        byte[] sealed = run(Cipher.ENCRYPT_MODE, row, nonce, text.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder()
                .encodeToString(ByteBuffer.allocate(NONCE + sealed.length)
                        .put(nonce)
                        .put(sealed)
                        .array());
    }

    /** @throws IllegalStateException if it was encrypted with another key or for another row */
    public String open(String row, String sealed) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(sealed));
        byte[] nonce = new byte[NONCE];
        bytes.get(nonce);
        byte[] rest = new byte[bytes.remaining()];
        bytes.get(rest);
        return new String(run(Cipher.DECRYPT_MODE, row, nonce, rest), StandardCharsets.UTF_8);
    }

    private byte[] run(int mode, String row, byte[] nonce, byte[] input) {
        try {
            Cipher cipher = Cipher.getInstance(CIPHER);
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            cipher.updateAAD(row.getBytes(StandardCharsets.UTF_8));
            return cipher.doFinal(input);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(unreadable.formatted(row), e);
        }
    }
}
