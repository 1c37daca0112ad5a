package outbox.util;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;

/**
 * Makes ULIDs: 48 bits of milliseconds and 80 random bits in 26 characters that sort as they were made. Within one
 * millisecond, and while the clock is behind by up to ten seconds, the random part counts up, so every id of a generator
 * is greater than the one before. If the clock goes back further, it had been wrong and was set right: ids follow it at
 * once, and sort before those made while it was ahead. Thread-safe.
 */
public final class Ulid {
    private static final Ulid SHARED = new Ulid(Clock.systemUTC());
    private static final char[] DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
    private static final long RANDOM_HIGH_MASK = 0xFFFFL;
    private static final long MAX_MILLIS = (1L << 48) - 1;
    private static final int TIME_LENGTH = 10;

    /** How far the clock may go back for ids to keep growing; after a larger step they follow the clock. */
    static final Duration MAX_STEP_BACK = Duration.ofSeconds(10);

    private final InstantSource clock;
    private final SecureRandom random = new SecureRandom();
    private long lastMillis = -1;
    private long high; // upper 16 of the 80 random bits
    private long low; // lower 64 of the 80 random bits

    /** A generator of its own, for tests and simulations; applications use {@link #next()}. */
    public Ulid(InstantSource clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
    }

    /** The next id of the generator that all of this process shares. */
    public static String next() {
        return SHARED.generate();
    }

    /** The next id of this generator. */
    public String generate() {
        long millis;
        long upper;
        long lower;
        synchronized (this) {
            advance(clock.millis());
            millis = lastMillis;
            upper = high;
            lower = low;
        }
        return encode(millis << 16 | upper, lower);
    }

    private void advance(long now) {
        if (now > lastMillis || lastMillis - now > MAX_STEP_BACK.toMillis()) {
            lastMillis = Math.min(now, MAX_MILLIS);
            // The top bit of the random part stays clear: room to count up before it overflows.
            high = random.nextInt() & (RANDOM_HIGH_MASK >>> 1);
            low = random.nextLong();
        } else if (++low == 0 && (high = (high + 1) & RANDOM_HIGH_MASK) == 0) {
            lastMillis++;
        }
    }

    /**
     * The first ten characters, which are the time: every id made at that millisecond or later is greater than this, every
     * earlier one is less. By these bounds a table can be cut into ranges of time by its key.
     */
    public static String timePrefix(Instant time) {
        long millis = time.toEpochMilli();
        if (millis < 0 || millis > MAX_MILLIS) {
            throw new IllegalArgumentException("no ULID can be made at " + time);
        }
        return encode(millis << 16, 0).substring(0, TIME_LENGTH);
    }

    /** The 16 bytes of an id, for a {@code BINARY(16)} column; they sort as the text does. */
    public static byte[] toBytes(String ulid) {
        if (ulid.length() != 26 || ulid.charAt(0) > '7') {
            throw new IllegalArgumentException("not a ULID (26 characters, first at most 7): " + ulid);
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < 26; i++) {
            high = high << 5 | low >>> 59;
            low = low << 5 | digit(ulid, i);
        }
        byte[] bytes = new byte[16];
        for (int i = 0; i < 8; i++) {
            bytes[i] = (byte) (high >>> (56 - 8 * i));
            bytes[i + 8] = (byte) (low >>> (56 - 8 * i));
        }
        return bytes;
    }

    /** The id of 16 bytes made by {@link #toBytes}. */
    public static String fromBytes(byte[] bytes) {
        if (bytes.length != 16) {
            throw new IllegalArgumentException("a ULID has 16 bytes, not " + bytes.length);
        }
        long high = 0;
        long low = 0;
        for (int i = 0; i < 8; i++) {
            high = high << 8 | (bytes[i] & 0xFF);
            low = low << 8 | (bytes[i + 8] & 0xFF);
        }
        return encode(high, low);
    }

    private static String encode(long high, long low) {
        char[] text = new char[26];
        for (int i = 25; i >= 0; i--) {
            text[i] = DIGITS[(int) (low & 31)];
            low = low >>> 5 | high << 59;
            high >>>= 5;
        }
        return new String(text);
    }

    private static int digit(String ulid, int index) {
        char c = Character.toUpperCase(ulid.charAt(index));
        for (int i = 0; i < DIGITS.length; i++) {
            if (DIGITS[i] == c) {
                return i;
            }
        }
        throw new IllegalArgumentException(
                "not a ULID, character '" + ulid.charAt(index) + "' at " + index + ": " + ulid);
    }
}
