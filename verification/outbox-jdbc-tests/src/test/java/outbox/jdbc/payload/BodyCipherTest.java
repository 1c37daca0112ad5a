package outbox.jdbc.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.UnreadablePayloadException;

class BodyCipherTest {
    private static final int SEGMENT = 64 * 1024;
    private static final int STORED = SEGMENT + 16;

    private final byte[] key = BodyCipher.newKey();

    private byte[] encrypted(byte[] plain) throws IOException {
        return BodyCipher.encrypting(new ByteArrayInputStream(plain), key, "e").readAllBytes();
    }

    private byte[] decrypted(byte[] stored) throws IOException {
        return BodyCipher.decrypting(new ByteArrayInputStream(stored), key, "e").readAllBytes();
    }

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, 3 * SEGMENT})
    void comesBackAndHasTheSizeThatIsComputed(int size) throws IOException {
        byte[] stored = encrypted(random(size));
        assertThat(stored).hasSize((int) BodyCipher.encryptedSize(size));
        assertThat(decrypted(stored)).isEqualTo(random(size));
    }

    @Test
    void whatWasCutOffAtASegmentIsFound() throws IOException {
        byte[] stored = encrypted(random(3 * SEGMENT));
        for (int segments = 0; segments <= 3; segments++) {
            byte[] cut = Arrays.copyOf(stored, segments * STORED);
            assertThatThrownBy(() -> decrypted(cut)).isInstanceOf(UnreadablePayloadException.class);
        }
    }

    @Test
    void segmentsThatChangedPlacesAreFound() throws IOException {
        byte[] stored = encrypted(random(3 * SEGMENT));
        byte[] swapped = stored.clone();
        System.arraycopy(stored, 0, swapped, STORED, STORED);
        System.arraycopy(stored, STORED, swapped, 0, STORED);
        assertThatThrownBy(() -> decrypted(swapped)).isInstanceOf(UnreadablePayloadException.class);
    }

    @Test
    void aChangedByteIsFoundBeforeItsSegmentIsGivenOut() throws IOException {
        byte[] stored = encrypted(random(2 * SEGMENT));
        stored[STORED + 5] ^= 1;
        try (var in = BodyCipher.decrypting(new ByteArrayInputStream(stored), key, "e")) {
            assertThat(in.readNBytes(SEGMENT)).isEqualTo(Arrays.copyOf(random(2 * SEGMENT), SEGMENT));
            assertThatThrownBy(in::read).isInstanceOf(UnreadablePayloadException.class);
        }
    }
}
