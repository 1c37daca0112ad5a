package outbox.encryption;

import java.util.Arrays;

/** Keys that nobody would mistake for real ones. */
final class TestKeys {
    private TestKeys() {}

    static byte[] bytes(int fill) {
        byte[] key = new byte[32];
        Arrays.fill(key, (byte) fill);
        return key;
    }

    static Keyring only(String id, int fill) {
        return Keyring.builder().key(id, bytes(fill)).build();
    }

    /** Key "old" is known, key "new" is current. */
    static Keyring rotated() {
        return Keyring.builder()
                .key("old", bytes(1))
                .key("new", bytes(2))
                .current("new")
                .build();
    }
}
