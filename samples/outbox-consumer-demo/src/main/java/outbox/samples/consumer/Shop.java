package outbox.samples.consumer;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.domain.TxMode;
import outbox.inbox.DurableInbox;
import outbox.inbox.webhook.WebhookAnswer;
import outbox.inbox.webhook.WebhookReceiver;
import outbox.jdbc.store.JdbcOutbox;
import outbox.kafka.KafkaPublisher;
import outbox.registry.DefaultListenerRegistry;
import outbox.webhook.WebhookSecret;
import outbox.webhook.WebhookVerifier;

/** A service: places orders, which go to Kafka, and receives invoices by webhook. Its inbox is durable. */
final class Shop implements AutoCloseable {
    static final String TOPIC = "outbox.event.Order";

    private final Database database;
    private final KafkaPublisher kafka;
    private final Outbox outbox;
    private final DurableInbox inbox;
    private final WebhookReceiver receiver;
    private final HttpServer server;

    Shop(Database database, String brokers, WebhookSecret secret) throws Exception {
        this.database = database;
        database.create(
                "CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, invoice VARCHAR(40), invoices INT DEFAULT 0)");
        kafka = KafkaPublisher.builder(brokers).build();
        outbox = JdbcOutbox.singleNode(database.dataSource)
                .transactions(database.transaction)
                .listeners(new DefaultListenerRegistry()
                        .register("Order", "order.placed", kafka.controlled().build()))
                .build()
                .start();
        inbox = DurableInbox.builder(database.dataSource)
                .group("shop")
                .handlers(new DefaultListenerRegistry().register("invoice.issued", this::onInvoice))
                .deadLetterInvalid()
                .build()
                .start();
        receiver = WebhookReceiver.of(inbox, WebhookVerifier.of(secret)).withSource("billing");
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/invoices", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/invoices";
    }

    /** The order and its event, in one transaction. */
    void place(String order) throws Exception {
        database.transactions.run(TxMode.REQUIRED, () -> {
            database.update("INSERT INTO orders (id) VALUES (?)", order);
            var unused = outbox.writer()
                    .write(EventEnvelope.builder("order.placed")
                            .aggregateType("Order")
                            .aggregateId(order)
                            .header(Trace.HEADER, Trace.begin())
                            .payloadJson("{\"order\":\"" + order + "\",\"cents\":1999}")
                            .build());
            return true;
        });
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(WebhookReceiver.MAX_BODY_BYTES + 1);
        WebhookAnswer answer =
                receiver.receive(name -> exchange.getRequestHeaders().getFirst(name), body);
        byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status(), text.length);
        exchange.getResponseBody().write(text);
        exchange.close();
    }

    private void onInvoice(EventEnvelope invoice) throws Exception {
        database.transactions.run(TxMode.REQUIRED, () -> {
            database.update(
                    "UPDATE orders SET invoice = ?, invoices = invoices + 1 WHERE id = ?",
                    invoice.eventId(),
                    String.valueOf(invoice.aggregateId()));
            return true;
        });
    }

    int invoiced() throws Exception {
        return database.query("SELECT id FROM orders WHERE invoices = 1").size();
    }

    long duplicates() {
        return inbox.counts().duplicates();
    }

    @Override
    public void close() {
        server.stop(0);
        inbox.close();
        outbox.close();
        kafka.close();
    }
}
