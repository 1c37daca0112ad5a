package outbox.control.audit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The key of the audit chain: each MAC covers the entry and the previous MAC. Without the key, the table cannot be
 * modified without breaking the chain. Immutable and thread-safe.
 */
public final class AuditKey {
    private static final int MIN_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /** @throws IllegalArgumentException if there are fewer than 32 bytes */
    public AuditKey(byte[] secret) {
        if (secret.length < MIN_BYTES) {
            throw new IllegalArgumentException(
                    "the key of the audit log must have at least " + MIN_BYTES + " bytes, not " + secret.length);
        }
        this.key = new SecretKeySpec(secret, ALGORITHM);
    }

    /** Derives a key of 32 bytes for another purpose. */
    public byte[] derive(String purpose) {
        Mac mac = newMac();
        field(mac, "derived key");
        field(mac, purpose);
        return mac.doFinal();
    }

    /** The MAC of an entry; the entry's own {@code mac} is not included. */
    String mac(String previous, AuditEntry entry) {
        Mac mac = newMac();
        field(mac, previous);
        field(mac, Long.toString(entry.seq()));
        field(mac, micros(entry.at()));
        field(mac, entry.actor());
        field(mac, entry.address());
        field(mac, entry.action());
        field(mac, entry.application());
        field(mac, entry.target());
        field(mac, entry.outcome());
        field(mac, entry.detail());
        return HexFormat.of().formatHex(mac.doFinal());
    }

    /** The MAC of the end of the chain. */
    String headMac(long seq, String last) {
        Mac mac = newMac();
        field(mac, "head");
        field(mac, Long.toString(seq));
        field(mac, last);
        return HexFormat.of().formatHex(mac.doFinal());
    }

    static boolean equal(String a, String b) {
        return MessageDigest.isEqual(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
    }

    /** Prefixed with its length, so that text cannot move between fields; absent differs from empty. */
    private static void field(Mac mac, @Nullable String value) {
        byte[] bytes = value == null ? new byte[0] : value.getBytes(StandardCharsets.UTF_8);
        mac.update(
                ByteBuffer.allocate(4).putInt(value == null ? -1 : bytes.length).array());
        mac.update(bytes);
    }

    private static String micros(Instant time) {
        return time.getEpochSecond() + "." + time.getNano() / 1000;
    }

    private Mac newMac() {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no " + ALGORITHM, e);
        }
    }

    @Override
    public String toString() {
        return "AuditKey[…]";
    }
}
