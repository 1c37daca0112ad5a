package outbox.jdbc.engine;

import java.sql.DriverManager;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import outbox.EventListener;
import outbox.Outbox;
import outbox.OutboxBuilder;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.registry.DefaultListenerRegistry;

/** A process that delivers what is in the table, with the settings an application gets by default, and ends. */
final class SmallHeapNode {
    private SmallHeapNode() {}

    public static void main(String[] arguments) throws Exception {
        Set<String> delivered = ConcurrentHashMap.newKeySet();
        int expected = Integer.parseInt(arguments[3]);
        CountDownLatch all = new CountDownLatch(1);
        EventListener listener = event -> {
            delivered.add(event.eventId());
            if (delivered.size() == expected) {
                all.countDown();
            }
        };
        OutboxBuilder builder = Outbox.multiNode()
                .store(JdbcOutboxStores.detect(arguments[0]))
                .connections(() -> DriverManager.getConnection(arguments[0], arguments[1], arguments[2]))
                .listeners(new DefaultListenerRegistry().register("A", "Large", listener))
                .drainTimeout(Duration.ofMinutes(1));
        if (Boolean.parseBoolean(arguments[4])) {
            builder.ordered();
        }
        try (Outbox outbox = builder.build().start()) {
            all.await();
        }
        System.exit(0);
    }
}
