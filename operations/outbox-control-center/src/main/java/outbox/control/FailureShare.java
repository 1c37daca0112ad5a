package outbox.control;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.control.source.NodeReader.Node;

/**
 * How many of the deliveries of the last minute failed, by what nodes counted themselves: rows tell nothing of deliveries
 * where completed events are deleted. Thread-safe.
 */
final class FailureShare {
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private record Look(Instant at, Map<String, Node> nodes) {}

    private final Deque<Look> looks = new ArrayDeque<>(); // guarded by this

    /**
     * @param nodes as they are now, also those that have been silent: what they counted before is not new when they are back
     * @return in percent; {@code null} as long as there is nothing to compare with
     */
    synchronized @Nullable Double percent(List<Node> nodes, Instant now) {
        while (!looks.isEmpty() && looks.getFirst().at().isBefore(now.minus(WINDOW))) {
            looks.removeFirst();
        }
        looks.addLast(new Look(now, nodes.stream().collect(Collectors.toMap(Node::name, Function.identity()))));
        Look before = looks.getFirst();
        if (looks.size() == 1) {
            return null;
        }
        long delivered = 0;
        long failed = 0;
        for (Node node : nodes) {
            Node then = before.nodes().get(node.name()); // a node that was not there has begun to count since
            delivered += Math.max(0, node.delivered() - (then == null ? 0 : then.delivered()));
            failed += Math.max(0, failures(node) - (then == null ? 0 : failures(then)));
        }
        return delivered + failed == 0 ? 0 : 100.0 * failed / (delivered + failed);
    }

    private static long failures(Node node) {
        return node.failed() + node.dead();
    }
}
