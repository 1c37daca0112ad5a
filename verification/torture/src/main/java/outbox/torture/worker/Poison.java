package outbox.torture.worker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
    /** Has no listener. */
    UNKNOWN_TYPE {
        @Override
        void strike() {}
    };

    /** How the event type is called. */
    public String eventType() {
        return "Poison-" + name();
    }

    static boolean isDeadly(String eventType) {
        return Arrays.stream(values()).anyMatch(poison -> poison.eventType().equals(eventType));
    }

    abstract void strike();
}
