package outbox.torture.cases;

import java.time.Duration;
import java.util.Random;
import outbox.torture.Arena;
import outbox.torture.TortureCase;
import outbox.torture.worker.Node;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** Nodes start and end in one process again and again; no thread and no connection of theirs stays. */
public final class StartStopStorm implements TortureCase {
    private static final Duration GONE_SOON = Duration.ofSeconds(30);

    @Override
    public String name() {
        return "start-stop-storm";
    }

    @Override
    public String what() {
        return "start/stop storm in one process";
    }

    @Override
    public boolean isQuick() {
        return true;
    }

    @Override
    public void run(Arena arena) throws Exception {
        NodeSettings settings = arena.undisturbed().with(Setting.POOL, 4);
        Random random = arena.random();
        int rounds = arena.scaled(40, 8);
        for (int i = 0; i < rounds; i++) {
            try (Node node = new Node(arena.named("storm-" + i, settings), line -> {})) {
                node.start();
                node.business().placeOrders(1 + random.nextInt(40), random);
                if (random.nextBoolean()) {
                    arena.pass(Duration.ofMillis(random.nextInt(30)));
                }
            }
            arena.fault();
        }
        try (Node last = new Node(arena.named("storm-last", settings), line -> {})) {
            last.start();
            arena.awaitEmpty();
        }
        long end = System.nanoTime() + GONE_SOON.toNanos();
        long threads;
        long connections;
        do {
            arena.pass(Duration.ofMillis(100));
            threads = threads();
            connections = arena.database().connections();
        } while ((threads > 0 || connections > 0) && System.nanoTime() < end);
        arena.expect(threads == 0, threads + " threads of the engine are left");
        arena.expect(connections == 0, connections + " connections are left");
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-")
                        && !thread.getName().contains("server"))
                .count();
    }
}
