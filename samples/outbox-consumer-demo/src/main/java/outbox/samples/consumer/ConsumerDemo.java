package outbox.samples.consumer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.logging.LogManager;
import org.h2.tools.Server;
import outbox.testing.server.EmbeddedKafka;
import outbox.webhook.WebhookSecret;

/**
 * Two services that talk in both directions: orders go through Kafka, invoices come back by webhook. One of them is a process
 * that is killed again and again. Each order gets one invoice, and one trace goes through both.
 */
public final class ConsumerDemo {
    private static final int ORDERS = 40;
    private static final int KILLS = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private ConsumerDemo() {}

    public static void main(String[] args) throws Exception {
        LogManager.getLogManager().reset();
        say("Starting Kafka and a database server (H2) ...");
        Server databases =
                Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
        try (EmbeddedKafka kafka = EmbeddedKafka.launch()) {
            run(kafka.bootstrapServers(), "jdbc:h2:tcp://localhost:" + databases.getPort() + "/mem:");
        } finally {
            databases.stop();
        }
    }

    private static void run(String brokers, String databases) throws Exception {
        Database shopData = new Database(databases + "shop;DB_CLOSE_DELAY=-1");
        Database billingData = new Database(databases + "billing;DB_CLOSE_DELAY=-1");
        billingData.create("CREATE TABLE invoice (customer_order VARCHAR(20) NOT NULL)"); // no unique constraint
        WebhookSecret secret = WebhookSecret.generate();
        try (Shop shop = new Shop(shopData, brokers, secret)) {
            List<String> command = List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    Billing.class.getName(),
                    databases + "billing;DB_CLOSE_DELAY=-1",
                    brokers,
                    shop.url(),
                    secret.reveal());
            for (int order = 1; order <= ORDERS; order++) {
                shop.place("order-" + order);
            }
            say("The shop has placed " + ORDERS + " orders. Billing reads them from Kafka, in a process of its own.");
            int kills = consumeAndKill(command, billingData, shop);
            say("");
            say("Orders " + ORDERS + ", invoices " + billingData.count("invoice") + ", orders with exactly one invoice "
                    + shop.invoiced() + ". Billing was killed " + kills + " times. Webhooks that came again: "
                    + shop.duplicates() + ".");
            trace(shopData, billingData);
        }
        say("The demo is over.");
    }

    private static int consumeAndKill(List<String> command, Database billing, Shop shop) throws Exception {
        int kills = 0;
        Process process = start(command);
        try {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (shop.invoiced() < ORDERS) {
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("only " + shop.invoiced() + " invoices came");
                }
                int invoices = billing.count("invoice");
                if (kills < KILLS && invoices >= (kills + 1) * ORDERS / (KILLS + 1)) {
                    process.destroyForcibly().waitFor();
                    kills++;
                    say("  killed after " + invoices + " invoices, and started again");
                    process = start(command);
                }
                Thread.sleep(10);
            }
        } finally {
            process.destroyForcibly();
        }
        return kills;
    }

    private static Process start(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** The headers of the rows that one order has left in both databases. */
    private static void trace(Database shop, Database billing) throws Exception {
        say("");
        say("The trace of order-7:");
        say("  shop     outbox  order.placed    " + header(shop, "outbox_event"));
        say("  billing  outbox  invoice.issued  " + header(billing, "outbox_event"));
        say("  shop     inbox   invoice.issued  " + header(shop, "inbox_event"));
    }

    private static String header(Database database, String table) throws Exception {
        String headers = database.query(
                        "SELECT CAST(headers AS VARCHAR) FROM " + table + " WHERE aggregate_id = 'order-7'")
                .get(0);
        int start = headers.indexOf("00-", headers.indexOf(Trace.HEADER));
        return headers.substring(start, start + 55);
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
