package outbox.idempotency;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.UUID;
import outbox.util.Ulid;

/**
 * An internal id: a ULID as 16 bytes, for a {@code BINARY(16)} column; sorts by time. Immutable.
 *
 * @param text the 26 characters of the ULID
 */
public record Ulid128(String text) {
    public Ulid128 {
        Objects.requireNonNull(text, "text");
        Ulid.toBytes(text); // rejects invalid ULIDs
    }

    public static Ulid128 next() {
        return new Ulid128(Ulid.next());
    }

    public static Ulid128 fromBytes(byte[] bytes) {
        return new Ulid128(Ulid.fromBytes(bytes));
    }

    /** The 16 bytes; a new array each time. */
    public byte[] bytes() {
        return Ulid.toBytes(text);
    }

    /** The same 128 bits for a column of type {@code uuid}. */
    public UUID toUuid() {
        ByteBuffer bytes = ByteBuffer.wrap(bytes());
        return new UUID(bytes.getLong(), bytes.getLong());
    }

    @Override
    public String toString() {
        return text;
    }
}
