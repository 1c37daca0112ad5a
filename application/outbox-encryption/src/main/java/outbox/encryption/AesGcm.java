package outbox.encryption;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** AES-256-GCM; the output is nonce, ciphertext and tag. Thread-safe. */
final class AesGcm {
    static final int KEY_BYTES = 32;
    static final int OVERHEAD_BYTES = 28;

    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();
    /** Reused: creating a cipher costs several times as much as encrypting an event, and {@code init} resets it. */
    private static final ThreadLocal<Cipher> CIPHER = ThreadLocal.withInitial(AesGcm::newCipher);

    private AesGcm() {}

    static byte[] newKey() {
        byte[] key = new byte[KEY_BYTES];
        RANDOM.nextBytes(key);
        return key;
    }

    static SecretKey key(byte[] bytes) {
        if (bytes.length != KEY_BYTES) {
            throw new IllegalArgumentException("an AES-256 key must have " + KEY_BYTES + " bytes, not " + bytes.length);
        }
        return new SecretKeySpec(bytes, "AES");
    }

    /**
     * The nonce is random: a key is used for far too few texts to make a collision likely, and, unlike a counter, a
     * cloned process does not repeat nonces.
     */
    static byte[] encrypt(SecretKey key, byte[] associated, byte[] plain) {
        byte[] nonce = new byte[NONCE_BYTES];
        RANDOM.nextBytes(nonce);
        try {
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, key, nonce, associated);
            ByteBuffer out = ByteBuffer.allocate(OVERHEAD_BYTES + plain.length);
            out.put(nonce);
            cipher.doFinal(ByteBuffer.wrap(plain), out);
            return out.array();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-256-GCM is not available: " + e.getMessage(), e);
        }
    }

    /** @throws AEADBadTagException if key, associated data or text differ from the encryption */
    static byte[] decrypt(SecretKey key, byte[] associated, byte[] text) throws AEADBadTagException {
        if (text.length < OVERHEAD_BYTES) {
            throw new AEADBadTagException("too short to have been encrypted: " + text.length + " bytes");
        }
        try {
            return cipher(Cipher.DECRYPT_MODE, key, Arrays.copyOf(text, NONCE_BYTES), associated)
                    .doFinal(text, NONCE_BYTES, text.length - NONCE_BYTES);
        } catch (AEADBadTagException e) {
            throw e;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES-256-GCM is not available: " + e.getMessage(), e);
        }
    }

    private static Cipher cipher(int mode, SecretKey key, byte[] nonce, byte[] associated)
            throws GeneralSecurityException {
        Cipher cipher = CIPHER.get();
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(associated);
        return cipher;
    }

    private static Cipher newCipher() {
        try {
            return Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES in Galois counter mode", e);
        }
    }
}
