package outbox.samples.demo;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.dispatch.ExponentialBackoffRetryPolicy;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.registry.DefaultListenerRegistry;

/** Runs an order service on H2 in memory through everything that can happen to an event, and ends by itself. */
public final class Demo {
    private static final int MAX_ATTEMPTS = 3;

    private final Console console;
    private final Shop shop;
    private final Outbox outbox;
    private final Outbox writerThatDied;
    private final Arrivals arrivals = new Arrivals();
    private final AtomicInteger mailFailures = new AtomicInteger();
    private final AtomicBoolean bankIsOpen = new AtomicBoolean();

    private Demo(Console console, DataSource dataSource) {
        this.console = console;
        ThreadLocalTxContext txContext = new ThreadLocalTxContext();
        this.shop = new Shop(
                dataSource, new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext));
        this.outbox = JdbcOutbox.singleNode(dataSource)
                .transactions(txContext)
                .listeners(new DefaultListenerRegistry()
                        .register("Order", "OrderPlaced", this::reserve)
                        .register("Order", "ReceiptDue", this::mail)
                        .register("Order", "PaymentDue", this::charge))
                .maxAttempts(MAX_ATTEMPTS)
                .retryPolicy(new ExponentialBackoffRetryPolicy(200, 1000))
                .build();
        this.writerThatDied =
                JdbcOutbox.writerOnly(dataSource).transactions(txContext).build();
    }

    public static void main(String[] args) throws Exception {
        Console console = new Console(System.out);
        console.showEngineLog();
        JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", "sa", "");
        new Demo(console, pool).run();
        pool.dispose();
    }

    private void run() throws Exception {
        console.title("The way of an event: an order service on H2, plain JDBC, no Spring");
        shop.createTables();
        try (outbox) {
            outbox.start();
            commit();
            rollback();
            crash();
            retry();
            deadLetter();
            replay();
        }
        console.title("What the table says at the end");
        console.table(shop.events());
        console.therefore("Every event that was committed was delivered; the one rolled back never existed.");
        console.therefore("The demo is over.");
    }

    // ---- the listeners -------------------------------------------------------------------------------------------

    private void reserve(EventEnvelope event) {
        console.does("warehouse", "reserves the goods of order " + event.aggregateId());
        arrivals.note(event);
    }

    private void mail(EventEnvelope event) {
        if (mailFailures.getAndDecrement() > 0) {
            console.does("mail", "cannot reach its server and throws");
            throw new IllegalStateException("mail server does not answer");
        }
        console.does("mail", "sends the receipt of order " + event.aggregateId());
        arrivals.note(event);
    }

    private void charge(EventEnvelope event) {
        if (!bankIsOpen.get()) {
            console.does("bank", "refuses order " + event.aggregateId() + " and throws");
            throw new IllegalStateException("bank is closed");
        }
        console.does("bank", "charges order " + event.aggregateId());
        arrivals.note(event);
    }

    // ---- the steps -----------------------------------------------------------------------------------------------

    private void commit() throws Exception {
        console.step("One transaction, two rows: the order and its event", """
                If the service called the warehouse itself, a crash between the commit and the call would lose
                the message, and a call before the commit could announce an order that is never stored.""");
        console.does("shop", "inserts order 1001, writes OrderPlaced, commits");
        long commitAt = shop.place(outbox.writer(), "OrderPlaced", 1001, "lamp");
        long millis = Duration.ofNanos(arrivals.await(1001) - commitAt).toMillis();
        until(1001, EventStatus.DONE);
        console.therefore(
                "Delivered within " + (millis + 1) + " ms of the commit and marked DONE. That was the hot path:"
                        + "\nafter the commit the event goes straight to a worker, without polling.");
    }

    private void rollback() throws Exception {
        console.step("A rollback leaves nothing behind", """
                The event is a row of the same transaction, so it is rolled back with the order.""");
        console.does("shop", "inserts order 1002, writes OrderPlaced, fails before the commit");
        try {
            shop.placeAndFail(outbox.writer(), "OrderPlaced", 1002, "sofa");
            throw new AssertionError("order 1002 was to fail");
        } catch (IllegalStateException e) {
            console.does("shop", "rolls back: " + e.getMessage());
        }
        console.therefore("Orders with number 1002: " + shop.countOrders(1002) + ". Events about it: "
                + shop.countEvents(1002) + ".");
    }

    private void crash() throws Exception {
        console.step("The process dies right after the commit", """
                The order is stored, and its event is not delivered yet. Here a writer without delivery stands in
                for the process that died.""");
        console.does("shop", "inserts order 1003, writes OrderPlaced, commits, and dies");
        shop.place(writerThatDied.writer(), "OrderPlaced", 1003, "chair");
        arrivals.await(1003);
        until(1003, EventStatus.DONE);
        console.therefore("The row was in the table, so the poller claimed it. That was the cold path: it polls once a"
                + " second here, and any node can claim the event.");
    }

    private void retry() throws Exception {
        console.step("A listener fails and is retried", """
                The mail server is down. The row gets the error and the time of the next attempt; each delay is
                about twice as long as the one before.""");
        mailFailures.set(2);
        console.does("shop", "inserts order 1004, writes ReceiptDue, commits");
        shop.place(outbox.writer(), "ReceiptDue", 1004, "desk");
        arrivals.await(1004);
        until(1004, EventStatus.DONE);
        console.therefore("The third attempt succeeded. No thread and no connection waited meanwhile.");
    }

    private void deadLetter() throws Exception {
        console.step("A listener fails too often: a dead letter", """
                After %d attempts the event is DEAD. It stays in the table with its last error, until an operator
                decides.""".formatted(MAX_ATTEMPTS));
        console.does("shop", "inserts order 1005, writes PaymentDue, commits");
        shop.place(outbox.writer(), "PaymentDue", 1005, "shelf");
        until(1005, EventStatus.DEAD);
        List<OutboxEvent> dead = outbox.deadEvents().queryOrFail(null, null, 10);
        for (OutboxEvent event : dead) {
            console.does(
                    "operator",
                    "finds " + event.eventType() + " of order " + event.aggregateId() + " among "
                            + outbox.deadEvents().countOrFail(null) + " dead letter(s)");
        }
        console.therefore("Dead, but not lost.");
    }

    private void replay() throws Exception {
        console.step("The cause is fixed, the dead letter is replayed", """
                Replay sets the row back to NEW without attempts; it is delivered like any other event.""");
        bankIsOpen.set(true);
        console.does("operator", "opens the bank and replays all PaymentDue");
        int replayed = outbox.deadEvents().replayAllOrFail("PaymentDue", "Order", 100);
        arrivals.await(1005);
        until(1005, EventStatus.DONE);
        console.therefore("Replayed " + replayed + ", dead letters left: "
                + outbox.deadEvents().countOrFail(null) + ".");
    }

    private void until(int orderId, EventStatus expected) throws InterruptedException, SQLException {
        arrivals.until(() -> shop.statusOf(orderId) == expected, "order " + orderId + " to be " + expected);
    }
}
