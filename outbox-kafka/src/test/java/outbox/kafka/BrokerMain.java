package outbox.kafka;

import java.io.IOException;

/** What the broker's JVM runs: Kafka's own program, which ends with the JVM that started it. */
final class BrokerMain {
    private BrokerMain() {}

    public static void main(String[] args) {
        Thread watch = new Thread(BrokerMain::endWithTheParent, "parent-watch");
        watch.setDaemon(true);
        watch.start();
        kafka.Kafka.main(args);
    }

    private static void endWithTheParent() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException e) {
            System.err.println("lost the parent: " + e);
        }
        Runtime.getRuntime().halt(0);
    }
}
