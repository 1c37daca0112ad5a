package outbox.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RendezvousTest {
    private static final List<String> NODES =
            IntStream.range(0, 8).mapToObj(i -> "node-" + i).toList();
    private static final List<String> DATABASES =
            IntStream.range(0, 1000).mapToObj(i -> "tenant-" + i).toList();

    @Test
    void databasesAreSpreadOverTheNodes() {
        Map<String, Long> shares = DATABASES.stream()
                .map(database -> Rendezvous.choose(NODES, database))
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        assertThat(shares).hasSize(8);
        assertThat(shares.values()).allSatisfy(share -> assertThat(share).isBetween(90L, 165L));
    }

    @Test
    void whenANodeGoesOnlyItsDatabasesChangeHands() {
        List<String> fewer = new ArrayList<>(NODES);
        fewer.remove("node-3");
        for (String database : DATABASES) {
            String before = Rendezvous.choose(NODES, database);
            if (!before.equals("node-3")) {
                assertThat(Rendezvous.choose(fewer, database)).isEqualTo(before);
            }
        }
    }
}
