package outbox.torture.cases;

import java.time.Duration;
import java.util.List;
import outbox.torture.Arena;
import outbox.torture.Cluster;
import outbox.torture.Link;
import outbox.torture.TortureCase;
import outbox.torture.worker.NodeSettings;
import outbox.torture.worker.Setting;

/** Between all nodes and the database there is a bad network: slow, but nothing is given twice because of it. */
public final class ImpairedLinks implements TortureCase {
    private final String name;
    private final String what;
    private final Link.Quality quality;

    private ImpairedLinks(String name, String what, Link.Quality quality) {
        this.name = name;
        this.what = what;
        this.quality = quality;
    }

    public static ImpairedLinks slow() {
        return new ImpairedLinks(
                "slow-links",
                "50 to 70 ms of delay each way between nodes and database",
                new Link.Quality(Duration.ofMillis(50), Duration.ofMillis(20), 0));
    }

    public static ImpairedLinks lossy() {
        return new ImpairedLinks(
                "lossy-links",
                "5 % of packets lost, 10 to 20 ms of delay each way",
                new Link.Quality(Duration.ofMillis(10), Duration.ofMillis(10), 0.05));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String what() {
        return what;
    }

    @Override
    public void run(Arena arena) throws Exception {
        try (Link link = new Link(arena.database().server().port())) {
            NodeSettings settings = arena.database()
                    .reachableThrough(link, arena.undisturbed())
                    .with(Setting.LISTENER_MS, 20)
                    .with(Setting.RATE, 5);
            Cluster cluster = arena.cluster(List.of(settings, settings, settings));
            cluster.write();
            arena.pass(Duration.ofSeconds(1));
            arena.fault();
            link.become(quality);
            arena.pass(Duration.ofSeconds(arena.scaled(20, 5)));
            link.become(Link.Quality.PERFECT);
            arena.limitRecovery(Duration.ofSeconds(5));
            arena.awaitRecovery(System.nanoTime(), cluster.names());
            cluster.hush();
            arena.awaitEmpty();
        }
    }
}
