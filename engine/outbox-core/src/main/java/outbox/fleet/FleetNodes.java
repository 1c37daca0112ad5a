package outbox.fleet;

import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Tells a fleet which nodes there are, so that each database is polled often by one of them and seldom by the others. An
 * answer that is wrong or late costs queries or time, never an event: leases decide who delivers.
 */
public interface FleetNodes {
    /** This node is the only one. */
    FleetNodes ALONE = new FleetNodes() {
        @Override
        public String self() {
            return "alone";
        }

        @Override
        public Collection<String> live() {
            return List.of("alone");
        }
    };

    /** The name of this node; all nodes call it the same. */
    String self();

    /**
     * The names of all nodes that live now. Asked every ten seconds, on a thread that may wait for a database.
     *
     * @throws Exception if nobody can tell now; the last answer is used, and after a minute this node polls everything
     */
    Collection<String> live() throws Exception;

    /** A node that knows its place by its deployment, such as the ordinal of a stateful set. */
    static FleetNodes fixed(int ordinal, int count) {
        if (ordinal < 0 || ordinal >= count) {
            throw new IllegalArgumentException("ordinal must be 0 to count - 1: " + ordinal + " of " + count);
        }
        List<String> all = IntStream.range(0, count).mapToObj(i -> "node-" + i).toList();
        return new FleetNodes() {
            @Override
            public String self() {
                return "node-" + ordinal;
            }

            @Override
            public Collection<String> live() {
                return all;
            }
        };
    }
}
