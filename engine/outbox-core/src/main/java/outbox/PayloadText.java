package outbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Text and bytes of payloads. */
final class PayloadText {
    /** What claims read of one row at most, for the same reason: it is held several times while it is handled. */
    private static final long MOST_READ_WHOLE = Runtime.getRuntime().maxMemory() / 8;

    private PayloadText() {}

    /** Drivers turn half a surrogate pair into a question mark without a word; the hot path would deliver another text. */
    static String wholeCharacters(String field, String value) {
        int i = 0;
        while (i < value.length()) {
            char c = value.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < value.length()
                    && Character.isLowSurrogate(value.charAt(i + 1));
            if (!pair && Character.isSurrogate(c)) {
                throw new IllegalArgumentException(field + " has half a surrogate pair, \\u" + Integer.toHexString(c)
                        + ", at offset " + i + ": no database can store that as text");
            }
            i += pair ? 2 : 1;
        }
        return value;
    }

    /** Exact where the limit is in reach; a text too short to reach it is not counted through. */
    static int utf8Length(String text) {
        if (text.length() <= EventEnvelope.MAX_PAYLOAD_BYTES / 3) {
            return text.length();
        }
        int bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x80) {
                bytes += 1;
            } else if (c < 0x800) {
                bytes += 2;
            } else if (Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                bytes += 4;
                i++;
            } else {
                bytes += 3;
            }
        }
        return bytes;
    }

    /** {@code null} if the bytes are not UTF-8. */
    static @Nullable String of(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    static byte[] read(PayloadSource source, String event) {
        if (source.size() > MOST_READ_WHOLE) {
            throw tooLarge(event, source.size() + " bytes");
        }
        int most = (int) Math.min(MOST_READ_WHOLE, Integer.MAX_VALUE - 8);
        try (InputStream in = source.open()) {
            byte[] bytes = in.readNBytes(most);
            if (bytes.length == most && in.read() >= 0) {
                throw tooLarge(event, "more than " + most + " bytes");
            }
            return bytes;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the payload of event " + event + " could not be read: " + e.getMessage(), e);
        }
    }

    private static IllegalStateException tooLarge(String event, String size) {
        return new IllegalStateException("the payload of event " + event + " has " + size
                + ", too many to be read at once with a heap of "
                + Runtime.getRuntime().maxMemory() + " bytes: read payloadStream() instead");
    }
}
