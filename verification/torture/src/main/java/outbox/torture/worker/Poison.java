package outbox.torture.worker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Events that no listener gets through. */
public enum Poison {
    EXCEPTION {
        @Override
        void strike() {
            throw new IllegalStateException("poison");
        }
    },
    ERROR {
        @Override
        void strike() {
            throw new AssertionError("poison");
        }
    },
    STACK_OVERFLOW {
        @Override
        void strike() {
            dig(0);
        }

        private int dig(int depth) {
            return depth == Integer.MAX_VALUE ? 0 : dig(depth + 1) + 1; // the stack ends long before
        }
    },
    /** Takes all memory of the process for a moment, so that other threads may run out of it too. */
    MEMORY {
        @Override
        void strike() {
            List<byte[]> hoard = new ArrayList<>();
            while (hoard.size() < Integer.MAX_VALUE) {
                hoard.add(new byte[64 * 1024]);
            }
            throw new IllegalStateException("there is room for " + hoard.size());
        }
    },
    /** Ends its process without a word. */
    HALT {
        @Override
        void strike() {
            Runtime.getRuntime().halt(HALTED);
        }
    },
    /** Never returns, unless it is interrupted. */
    HANG {
        @Override
        void strike() throws InterruptedException {
            new CountDownLatch(1).await();
        }
    },
    /** Does not return when it is interrupted, only much later. */
    DEAF {
        @Override
        void strike() {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEAF_SECONDS);
            while (System.nanoTime() - end < 0) {
                LockSupport.parkNanos(end - System.nanoTime());
                boolean ignored = Thread.interrupted();
            }
        }
    },
    /** Is delivered, and the database is made to refuse that it is done. */
    REFUSED {
        @Override
        void strike() {}
    },
    /** Throws a text of some alphabet, or of none. */
    TEXT {
        @Override
        void strike() {
            throw new IllegalStateException(
                    TEXTS.get(ThreadLocalRandom.current().nextInt(TEXTS.size())));
        }
    },
    /** Has no listener. */
    UNKNOWN_TYPE {
        @Override
        void strike() {}
    };

    /** With what status {@link #HALT} ends a process. */
    static final int HALTED = 42;

    private static final int DEAF_SECONDS = 6;

    private static final List<String> TEXTS = List.of(
            "",
            "\u0000\u0007\u001b[31m",
            "\u00fc\u00df\u00e9",
            "\u0434\u0430 \u03b1\u03b2\u03b3",
            "\u05e9\u05dc\u05d5\u05dd \u0633\u0644\u0627\u0645 \u202e",
            "\u8ba2\u5355 \u65e5\u672c\u8a9e \ud55c\uad6d\uc5b4",
            "\u0939\u093f\u0928\u094d\u0926\u0940 \u0e44\u0e17\u0e22",
            "\ud83d\ude80\ud83d\udc68\u200d\ud83d\udc69\u200d\ud83d\udc67",
            "\ud83d",
            "\ufffd\ufeff\u0301",
            "'; DROP TABLE outbox_event; --",
            "\u6f22".repeat(20_000),
            "x".repeat(300_000));

    /** How the event type is called. */
    public String eventType() {
        return "Poison-" + name();
    }

    static boolean isDeadly(String eventType) {
        return Arrays.stream(values()).anyMatch(poison -> poison.eventType().equals(eventType));
    }

    abstract void strike() throws Exception;
}
