package outbox.control.live;

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
 * Deliveries and failures per minute, from the counters of the nodes: rows do not show them where completed events are
 * deleted. Not thread-safe.
 */
final class NodeRates {
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private record Look(Instant at, Map<String, Node> nodes) {}

    /** Events per minute. */
    record Rates(double delivered, double failed) {}

    private final Deque<Look> looks = new ArrayDeque<>();

    /**
     * The rates since a minute ago, or since the last look before that.
     *
     * @param nodes all known nodes, silent ones included, so that their old counts are not taken for new ones when they
     *     are back
     * @return {@code null} until there is a look to compare with
     */
    @Nullable
    Rates of(List<Node> nodes, Instant now) {
        looks.addLast(new Look(now, nodes.stream().collect(Collectors.toMap(Node::name, Function.identity()))));
        while (looks.size() > 2 && !second().at().isAfter(now.minus(WINDOW))) {
            looks.removeFirst();
        }
        Look before = looks.getFirst();
        double minutes = Duration.between(before.at(), now).toMillis() / 60_000.0;
        if (minutes <= 0) {
            return null;
        }
        long delivered = 0;
        long failed = 0;
        for (Node node : nodes) {
            Node then = before.nodes().get(node.name()); // a new node started at zero
            delivered += Math.max(0, node.delivered() - (then == null ? 0 : then.delivered()));
            failed += Math.max(0, failures(node) - (then == null ? 0 : failures(then)));
        }
        return new Rates(delivered / minutes, failed / minutes);
    }

    private Look second() {
        return looks.stream().skip(1).findFirst().orElseThrow();
    }

    private static long failures(Node node) {
        return node.failed() + node.dead();
    }
}
