package outbox.samples.consumer;

import java.net.URI;
import java.time.Duration;
import java.util.logging.LogManager;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.inbox.InlineInbox;
import outbox.inbox.kafka.KafkaInbox;
import outbox.jdbc.store.JdbcOutbox;
import outbox.registry.DefaultListenerRegistry;
import outbox.webhook.WebhookBody;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookSecret;

/**
 * The other service, a process of its own: reads orders from Kafka, and sends an invoice for each by webhook. The inbox is
 * inline: invoice, event and the record of the message are one transaction.
 */
final class Billing {
    private Billing() {}

    /** Arguments: JDBC URL, brokers, where invoices go, the secret of their signature. Runs until it is killed. */
    public static void main(String[] args) throws Exception {
        LogManager.getLogManager().reset();
        Database database = new Database(args[0]);
        WebhookClient client = WebhookClient.builder()
                .allowHttp()
                .allowAddresses("127.0.0.0/8")
                .build();
        Outbox outbox = JdbcOutbox.multiNode(database.dataSource)
                .nodeId("billing-1") // after a restart it takes its own leases back at once
                .transactions(database.transaction)
                .pollInterval(Duration.ofMillis(200))
                .listeners(new DefaultListenerRegistry()
                        .register(
                                "Invoice",
                                "invoice.issued",
                                client.publisher(WebhookEndpoint.builder("shop", URI.create(args[2]))
                                                .secrets(WebhookSecret.parse(args[3]))
                                                .body(WebhookBody.CLOUDEVENTS_BINARY)
                                                .build())
                                        .controlled()
                                        .build()))
                .build()
                .start();
        InlineInbox inbox = InlineInbox.builder(database.dataSource)
                .group("billing")
                .transactions(database.transaction, database.transactions)
                .handlers(new DefaultListenerRegistry()
                        .register("order.placed", order -> invoice(database, outbox, order)))
                .deadLetterInvalid()
                .build();
        KafkaInbox.builder(inbox, args[1])
                .groupId("billing")
                .topics(Shop.TOPIC)
                .consumer("session.timeout.ms", 6_000)
                .build()
                .start();
        int unused = System.in.read(); // until it is killed, or the demo ends
        Runtime.getRuntime().halt(0);
    }

    private static void invoice(Database database, Outbox outbox, EventEnvelope order) throws Exception {
        String number = String.valueOf(order.aggregateId());
        database.update("INSERT INTO invoice VALUES (?)", number);
        var unused = outbox.writer()
                .write(EventEnvelope.builder("invoice.issued")
                        .aggregateType("Invoice")
                        .aggregateId(number)
                        .header(Trace.HEADER, Trace.next(order.headers().get(Trace.HEADER)))
                        .payloadJson("{\"order\":\"" + number + "\"}")
                        .build());
        Thread.sleep(20); // slow enough to be killed in the middle
    }
}
