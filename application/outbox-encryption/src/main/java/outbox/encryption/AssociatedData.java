package outbox.encryption;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The associated data of a ciphertext. Each part is prefixed with its length, so that the encoding is unambiguous. */
final class AssociatedData {
    private AssociatedData() {}

    static byte[] of(String... parts) {
        byte[][] texts = new byte[parts.length][];
        int size = 0;
        for (int i = 0; i < parts.length; i++) {
            texts[i] = parts[i].getBytes(StandardCharsets.UTF_8);
            size += Integer.BYTES + texts[i].length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(size);
        for (byte[] text : texts) {
            bytes.putInt(text.length).put(text);
        }
        return bytes.array();
    }
}
