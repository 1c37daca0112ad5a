package outbox.encryption;

import java.util.concurrent.atomic.AtomicInteger;

/** A key service that can be away. */
final class CountingKeys implements KeyProvider {
    final AtomicInteger wraps = new AtomicInteger();
    final AtomicInteger unwraps = new AtomicInteger();
    volatile boolean away;
    private volatile Keyring keys;

    CountingKeys(Keyring keys) {
        this.keys = keys;
    }

    void replaceBy(Keyring others) {
        this.keys = others;
    }

    @Override
    public String currentKeyId() {
        return keys.currentKeyId();
    }

    @Override
    public byte[] wrap(String keyId, byte[] dataKey) {
        wraps.incrementAndGet();
        failIfAway();
        return keys.wrap(keyId, dataKey);
    }

    @Override
    public byte[] unwrap(String keyId, byte[] wrapped) {
        unwraps.incrementAndGet();
        failIfAway();
        return keys.unwrap(keyId, wrapped);
    }

    private void failIfAway() {
        if (away) {
            throw new IllegalStateException("key service does not answer");
        }
    }
}
