package outbox.samples.multids;

import java.io.PrintStream;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;

/**
 * Two databases, an outbox in each. The application decides where to write; each outbox delivers what is in its own
 * table. Then forty of them, which share a fixed number of threads. Ends by itself.
 */
public final class MultiDataSourceDemo implements AutoCloseable {
    private static final String ORDER_PLACED = "OrderPlaced";
    private static final String FRIEND_REFERRED = "FriendReferred";
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final PrintStream out = System.out;
    private final Region europe;
    private final Region america;
    private int steps;

    private MultiDataSourceDemo() throws SQLException {
        this.europe = new Region("europe", listenersOf("europe"));
        this.america =
                new Region("america", listenersOf("america").register("Order", FRIEND_REFERRED, this::giveBonus));
    }

    private DefaultListenerRegistry listenersOf(String region) {
        return new DefaultListenerRegistry().register("Order", ORDER_PLACED, event -> delivered(region, event));
    }

    public static void main(String[] args) throws Exception {
        try (MultiDataSourceDemo demo = new MultiDataSourceDemo()) {
            demo.run();
        }
    }

    private void run() throws Exception {
        out.println("\nTwo regions, two H2 databases, an outbox in each");

        step("The application routes by customer", """
                Order and event go to the database of the customer's region, in one transaction there.""");
        place(1, "Anna (EU)");
        place(2, "Bob (US)");
        place(3, "Carla (EU)");
        until(() -> europe.countEvents(EventStatus.DONE) == 2 && america.countEvents(EventStatus.DONE) == 1);
        out.printf(
                "   => europe: %d orders, america: %d. Each outbox delivered its own events only.%n",
                europe.countOrders(), america.countOrders());

        step("What fails in one database does not touch the other", """
                Order 2 exists in america already, so this transaction is rolled back, and its event with it.""");
        try {
            america.place(2, "Dan (US)", ORDER_PLACED);
            throw new AssertionError("order 2 was to be refused");
        } catch (SQLException e) {
            out.println("     shop      rolls back order 2 of Dan (US): primary key");
        }
        place(4, "Eve (EU)");
        until(() -> europe.countEvents(EventStatus.DONE) == 3);
        out.printf("   => europe: %d orders, america: %d.%n", europe.countOrders(), america.countOrders());

        step("A change in one database follows from a change in the other", """
                No transaction spans both. A listener of america's events writes to europe instead. Delivery is at
                least once, so it keeps the event id: a second delivery changes nothing.""");
        out.println("     shop      places order 5 of Frank (US) in america, whom a friend in europe referred");
        america.place(5, "Frank (US)", FRIEND_REFERRED);
        until(() -> america.countEvents(EventStatus.DONE) == 2);
        out.printf("   => bonuses in europe: %d, though it was asked for twice.%n", europe.countBonuses());

        step("Many databases, few threads", """
                Forty shards of another shop. The application routes by the customer's name; a fleet delivers for all
                of them with the threads of one.""");
        shards();

        out.println("\nThe demo is over.");
    }

    private void shards() throws SQLException, InterruptedException {
        int customers = 100;
        Set<String> delivered = ConcurrentHashMap.newKeySet();
        Set<String> used = new HashSet<>();
        long before = Shards.threads();
        try (Shards shards = new Shards(
                40,
                new DefaultListenerRegistry()
                        .register(
                                "Order",
                                ORDER_PLACED,
                                event -> delivered.add(event.tenantId() + " " + event.aggregateId())))) {
            for (int order = 1; order <= customers; order++) {
                used.add(shards.place(order, "customer " + order));
            }
            until(() -> delivered.size() == customers);
            out.printf(
                    "   => %d orders in %d of 40 databases, %d delivered, %d threads.%n",
                    customers, used.size(), delivered.size(), Shards.threads() - before);
        }
    }

    private void place(int orderId, String customer) throws SQLException {
        Region region = regionOf(customer);
        out.printf("     shop      places order %d of %s in %s%n", orderId, customer, region.name());
        region.place(orderId, customer, ORDER_PLACED);
    }

    private Region regionOf(String customer) {
        return customer.endsWith("(US)") ? america : europe;
    }

    private void delivered(String region, EventEnvelope event) {
        out.printf("     %-9s delivers %s of order %s%n", region, event.eventType(), event.aggregateId());
    }

    private void giveBonus(EventEnvelope event) throws SQLException {
        delivered("america", event);
        for (int delivery = 1; delivery <= 2; delivery++) { // as if a node had died before it could mark the event
            boolean isNew = europe.giveBonus(event);
            out.println("     europe    " + (isNew ? "writes the bonus" : "knows this event already, writes nothing"));
        }
    }

    private void step(String title, String why) {
        out.printf("%n%d. %s%n", ++steps, title);
        why.lines().forEach(line -> out.println("   " + line));
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }

    private synchronized void until(Condition condition) throws InterruptedException, SQLException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.holds()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("waited 30 s in vain");
            }
            wait(10);
        }
    }

    @Override
    public void close() {
        europe.close();
        america.close();
    }
}
