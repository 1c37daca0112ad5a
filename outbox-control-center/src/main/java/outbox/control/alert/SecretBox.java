package outbox.control.alert;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** Keeps texts in a database that must not know them: AES-256-GCM, bound to the row they belong to. Thread-safe. */
final class SecretBox {
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final SecretKey key;
    private final SecureRandom random = new SecureRandom();

    SecretBox(SecretKey key) {
        this.key = key;
    }

    String close(String row, String text) {
        byte[] nonce = new byte[NONCE];
        random.nextBytes(nonce);
        byte[] sealed = run(Cipher.ENCRYPT_MODE, row, nonce, text.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder()
                .encodeToString(ByteBuffer.allocate(NONCE + sealed.length)
                        .put(nonce)
                        .put(sealed)
                        .array());
    }

    /** @throws IllegalStateException if it was closed under another key or for another row */
    String open(String row, String sealed) {
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
            throw new IllegalStateException(
                    "the settings of channel " + row + " can not be read: was the key of the control center changed?"
                            + " Make the channel anew",
                    e);
        }
    }
}
