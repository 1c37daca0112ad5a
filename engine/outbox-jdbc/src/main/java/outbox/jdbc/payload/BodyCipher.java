package outbox.jdbc.payload;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import outbox.UnreadablePayloadException;

/**
 * Encrypts a body in segments with AES-256-GCM. Each body has a key of its own, so its nonces can be counted: they hold
 * the number of the segment and whether it is the last one. Segments that were changed, moved, removed or cut off are
 * found when they are read; nothing of a segment is given out before it was checked. The last segment is the only one that
 * is not full. Not thread-safe.
 */
final class BodyCipher extends InputStream {
    private static final int PLAIN = 64 * 1024;
    private static final int TAG = 16;
    private static final int KEY_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final InputStream in;
    private final SecretKeySpec key;
    private final int mode;
    private final int segmentBytes;
    private final String event;
    private final Cipher cipher;
    private byte[] current = new byte[0];
    private int position;
    private long segment;
    private boolean ended;

    private BodyCipher(InputStream in, byte[] key, int mode, String event) {
        this.in = in;
        this.key = new SecretKeySpec(key, "AES");
        this.mode = mode;
        this.segmentBytes = mode == Cipher.ENCRYPT_MODE ? PLAIN : PLAIN + TAG;
        this.event = event;
        try {
            this.cipher = Cipher.getInstance("AES/GCM/NoPadding");
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES in Galois counter mode", e);
        }
    }

    static byte[] newKey() {
        byte[] key = new byte[KEY_BYTES];
        RANDOM.nextBytes(key);
        return key;
    }

    /** @param key used for this body alone */
    static InputStream encrypting(InputStream plain, byte[] key, String event) {
        return new BodyCipher(plain, key, Cipher.ENCRYPT_MODE, event);
    }

    static InputStream decrypting(InputStream stored, byte[] key, String event) {
        return new BodyCipher(stored, key, Cipher.DECRYPT_MODE, event);
    }

    /** How long a body of that size is when it is encrypted. */
    static long encryptedSize(long plain) {
        return plain + (plain / PLAIN + 1) * TAG;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        while (position == current.length) {
            if (ended) {
                return -1;
            }
            current = next();
            position = 0;
        }
        int read = Math.min(count, current.length - position);
        System.arraycopy(current, position, into, offset, read);
        position += read;
        return read;
    }

    private byte[] next() throws IOException {
        byte[] text = in.readNBytes(segmentBytes);
        ended = text.length < segmentBytes;
        if (mode == Cipher.DECRYPT_MODE && text.length < TAG) {
            throw changed(new EOFException("segment " + segment + " is missing"));
        }
        byte[] nonce =
                ByteBuffer.allocate(12).putInt(ended ? 1 : 0).putLong(segment++).array();
        try {
            cipher.init(mode, key, new GCMParameterSpec(TAG * 8, nonce));
            return cipher.doFinal(text);
        } catch (GeneralSecurityException e) {
            throw changed(e);
        }
    }

    private UnreadablePayloadException changed(Exception cause) {
        return new UnreadablePayloadException(
                "the payload of event " + event + " cannot be decrypted: what is stored was changed or cut off", cause);
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
