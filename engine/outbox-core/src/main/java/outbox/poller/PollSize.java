package outbox.poller;

import java.util.List;
import outbox.EventEnvelope;
import outbox.model.OutboxEvent;

/**
 * How much a poll may read, in rows and in bytes. Not thread-safe.
 *
 * <p>After a poll for which the memory or the time did not suffice, the next one reads half as much, down to one row; after
 * {@value #GOOD_POLLS} polls that went well, twice as much again.
 *
 * <p>A {@link outbox.spi.LeasingOutboxStore} keeps to the bytes by itself. It still has to measure every row it looks at, so
 * it is not asked for many more than those that probably fit. Of another store only a number of rows can be asked: it is
 * taken to hold payloads of the largest size until smaller ones were seen.
 */
final class PollSize {
    /** What a store may read of a row before it looks at its size: a claim has that much for each row it asks for. */
    private static final int UNMEASURED_BYTES = 16 * 1024;

    private static final int GOOD_POLLS = 8;
    private static final int MOST_HALVINGS = 30;

    /** By how much the expected size of a row changes from one poll to the next, at most, when rows become smaller. */
    private static final int EASING = 4;

    private final int maxRows;
    private final long maxBytes;
    private final boolean storeKeepsToBytes;
    private int halvings;
    private int goodPolls;
    private long rowSize;

    PollSize(int maxRows, long maxBytes, boolean storeKeepsToBytes) {
        this.maxRows = maxRows;
        this.maxBytes = maxBytes;
        this.storeKeepsToBytes = storeKeepsToBytes;
        this.rowSize = storeKeepsToBytes ? 1 : EventEnvelope.MAX_PAYLOAD_BYTES;
    }

    /**
     * What one poll asks for.
     *
     * @param rows no more than there is room for; 0 if there is none
     * @param bytes no more than there is room for
     * @param fullRows as many rows mean that there are probably more
     * @param fullBytes as many bytes mean that there are probably more
     */
    record Limit(int rows, long bytes, int fullRows, long fullBytes) {
        /**
         * Characters are counted here and bytes of UTF-8 by the store: these may be three times as many, and reading once
         * more than needed does no harm.
         */
        boolean isReachedBy(int rowsRead, long charactersRead) {
            return rowsRead >= fullRows || charactersRead >= fullBytes / 4;
        }
    }

    Limit within(int roomForRows, long roomForBytes) {
        long bytes = Math.max(1, maxBytes >> halvings);
        long fitting = bytes / rowSize * (storeKeepsToBytes ? EASING : 1);
        long rows = Math.max(1, Math.min(maxRows >> halvings, Math.min(fitting, bytes / UNMEASURED_BYTES)));
        return new Limit(
                roomForBytes <= 0 ? 0 : (int) Math.min(rows, roomForRows),
                Math.min(bytes, Math.max(1, roomForBytes)),
                (int) rows,
                bytes);
    }

    /** A poll went well. @return how many characters it read */
    long read(List<OutboxEvent> rows) {
        long characters = 0;
        for (OutboxEvent row : rows) {
            characters += row.payloadJson().length();
            characters += row.headersJson() == null ? 0 : row.headersJson().length();
        }
        if (!rows.isEmpty()) {
            rowSize = Math.max(1, Math.max(characters / rows.size(), rowSize / EASING));
        }
        if (halvings > 0 && ++goodPolls == GOOD_POLLS) {
            halvings--;
            goodPolls = 0;
        }
        return characters;
    }

    /** The memory or the time did not suffice. */
    void tooMuch() {
        halvings = Math.min(halvings + 1, MOST_HALVINGS);
        goodPolls = 0;
    }

    /** Whether the memory did not suffice, however a driver or a store says so. */
    static boolean isForMemory(Throwable failure) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < 20; depth++) {
            if (cause instanceof OutOfMemoryError) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
