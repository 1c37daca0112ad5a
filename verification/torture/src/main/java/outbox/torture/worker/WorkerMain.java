package outbox.torture.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import outbox.spi.DuplicateEventException;

/**
 * A worker process. Reads commands from its standard input, one a line, and answers each on its standard output with
 * {@code DONE} or {@code FAILED}; says {@code AT <point>} when a thread is held at a kill point. TERM ends it as
 * an application ends. When the supervisor is gone its input ends, and it halts.
 */
public final class WorkerMain {
    private static final int BATCH = 100;
    private static final int START_TRIES = 20;

    private final Node node;
    private final Random random = new Random();

    private WorkerMain(Node node) {
        this.node = node;
    }

    public static void main(String[] arguments) throws IOException {
        Node node = start(NodeSettings.parse(arguments));
        Runtime.getRuntime().addShutdownHook(new Thread(node::close, "shutdown"));
        say("READY");
        new WorkerMain(node).obey();
        Runtime.getRuntime().halt(3);
    }

    /** As a supervisor of services would: a node that comes up while the database is away or busy tries again. */
    private static Node start(NodeSettings settings) {
        for (int tries = 1; ; tries++) {
            Node node = new Node(settings, WorkerMain::say);
            try {
                node.start();
                return node;
            } catch (IllegalStateException e) {
                node.close();
                if (tries == START_TRIES || !(e.getCause() instanceof SQLException)) {
                    throw e;
                }
            }
        }
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private void obey() throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            String command = line;
            Thread thread = new Thread(() -> answer(command), "command");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void answer(String command) {
        try {
            run(command.split(" ", -1));
            say("DONE " + command);
        } catch (Exception | Error e) {
            System.err.println(command + ": " + e);
            say("FAILED " + command);
        }
    }

    private void run(String[] words) throws Exception {
        switch (words[0]) {
            case "write" -> node.write();
            case "hush" -> node.hush();
            case "arm" -> node.arm(KillPoint.valueOf(words[1]));
            case "hog" -> node.hogConnections(Duration.ofMillis(Long.parseLong(words[1])));
            case "claims" -> say("CLAIMS " + node.claims());
            case "burst" -> burst(Integer.parseInt(words[1]));
            case "collide" -> collide(words[1], Integer.parseInt(words[2]));
            case "purge-and-replay" -> purgeAndReplay(Duration.ofMillis(Long.parseLong(words[1])));
            default -> throw new IllegalArgumentException("unknown command " + words[0]);
        }
    }

    private void burst(int events) throws SQLException {
        for (int left = events; left > 0; left -= BATCH) {
            node.business().placeOrders(Math.min(BATCH, left), random);
        }
    }

    /** Places orders under ids that other nodes use at the same time; who comes second is refused. */
    private void collide(String prefix, int count) throws SQLException {
        for (int i = 0; i < count; i++) {
            try {
                node.business().placeOrder(prefix + i);
            } catch (DuplicateEventException e) {
                System.err.println("refused as it should be: " + e.getMessage());
            }
        }
    }

    private void purgeAndReplay(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() < end) {
            node.outbox().purgeOnce();
            node.outbox().pollOnce();
            node.outbox().deadEvents().replayAll(null, null, 50);
        }
    }
}
