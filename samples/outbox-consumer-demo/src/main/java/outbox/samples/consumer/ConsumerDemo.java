package outbox.samples.consumer;

import com.rabbitmq.client.ConnectionFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.logging.LogManager;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.kafka.KafkaPublisher;
import outbox.rabbitmq.RabbitPublisher;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedKafka;
import outbox.testing.server.EmbeddedQpid;

/**
 * A shop publishes orders to Kafka and invoices to an AMQP broker. The consumer books them, dies before it has
 * acknowledged, and gets everything a second time: nothing is booked twice.
 */
public final class ConsumerDemo {
    private static final int ORDERS = 20;
    private static final int INVOICES = 10;

    private ConsumerDemo() {}

    public static void main(String[] args) throws Exception {
        LogManager.getLogManager().reset();
        say("Starting Kafka, an AMQP broker (Apache Qpid) and two H2 databases ...");
        try (EmbeddedKafka kafka = EmbeddedKafka.launch();
                EmbeddedQpid qpid = EmbeddedQpid.launch()) {
            ConnectionFactory amqp = new ConnectionFactory();
            amqp.setUri(qpid.uri());
            Bookkeeping bookkeeping = new Bookkeeping(h2("bookkeeping"));
            KafkaSide fromKafka = new KafkaSide(kafka.bootstrapServers(), bookkeeping);
            AmqpSide fromAmqp = new AmqpSide(amqp, bookkeeping);
            fromAmqp.declare();

            publish(kafka.bootstrapServers(), amqp);

            say("");
            say("The consumer dies after its work and before it acknowledges:");
            say("  Kafka  " + fromKafka.consume(ORDERS, true));
            say("  AMQP   " + fromAmqp.consume(INVOICES, true));
            say("It starts again, and the brokers deliver everything a second time:");
            say("  Kafka  " + fromKafka.consume(ORDERS, false));
            say("  AMQP   " + fromAmqp.consume(INVOICES, false));
            say("");
            say("Messages published: " + (ORDERS + INVOICES) + ". Entries in the ledger: " + bookkeeping.bookings()
                    + ". The demo is over.");
        }
    }

    /** The shop's side: events in its transaction, brought out by the outbox. */
    private static void publish(String bootstrapServers, ConnectionFactory amqp) throws Exception {
        DataSource database = h2("shop");
        try (Connection connection = database.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
        ThreadLocalTxContext transaction = new ThreadLocalTxContext();
        JdbcTransactionManager transactions =
                new JdbcTransactionManager(new DataSourceConnectionProvider(database), transaction);
        try (KafkaPublisher kafka = KafkaPublisher.builder(bootstrapServers).build();
                RabbitPublisher rabbit = RabbitPublisher.builder(amqp)
                        .exchange(AmqpSide.EXCHANGE)
                        .build();
                Outbox outbox = JdbcOutbox.singleNode(database)
                        .transactions(transaction)
                        .drainTimeout(Duration.ofMinutes(1))
                        .listeners(new DefaultListenerRegistry()
                                .register(
                                        "Order",
                                        "order.placed",
                                        kafka.controlled().build())
                                .register(
                                        "Invoice",
                                        "invoice.issued",
                                        rabbit.controlled().build()))
                        .build()
                        .start()) {
            for (int number = 1; number <= ORDERS; number++) {
                write(transactions, outbox, "Order", "order.placed", number);
            }
            for (int number = 1; number <= INVOICES; number++) {
                write(transactions, outbox, "Invoice", "invoice.issued", number);
            }
        } // waits for what is on its way
        say("The shop has published " + ORDERS + " orders to Kafka and " + INVOICES + " invoices to AMQP.");
    }

    private static void write(
            JdbcTransactionManager transactions, Outbox outbox, String aggregate, String type, int number)
            throws SQLException {
        try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
            outbox.writer()
                    .write(EventEnvelope.builder(type)
                            .aggregateType(aggregate)
                            .aggregateId(Integer.toString(number))
                            .payloadJson("{\"number\":" + number + "}")
                            .build());
            tx.commit();
        }
    }

    private static DataSource h2(String name) {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
        return database;
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
