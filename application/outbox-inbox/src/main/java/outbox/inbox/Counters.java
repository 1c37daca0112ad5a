package outbox.inbox;

import java.util.concurrent.atomic.LongAdder;

/** Counts receipts. Thread-safe. */
final class Counters {
    private final LongAdder received = new LongAdder();
    private final LongAdder duplicates = new LongAdder();
    private final LongAdder dead = new LongAdder();

    Receipt count(Receipt receipt) {
        switch (receipt) {
            case RECEIVED, HANDLED -> received.increment();
            case DUPLICATE -> duplicates.increment();
            case DEAD -> dead.increment();
        }
        return receipt;
    }

    InboxCounts counts() {
        return new InboxCounts(received.sum(), duplicates.sum(), dead.sum());
    }
}
