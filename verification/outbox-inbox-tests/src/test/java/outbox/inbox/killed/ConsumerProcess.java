package outbox.inbox.killed;

import com.rabbitmq.client.ConnectionFactory;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.time.Duration;
import outbox.domain.EventName;
import outbox.domain.TransactionRunner;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.RetryRule;
import outbox.domain.jackson.PayloadSerializers;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.inbox.DurableInbox;
import outbox.inbox.Inbox;
import outbox.inbox.InboxHandler;
import outbox.inbox.InlineInbox;
import outbox.inbox.kafka.KafkaInbox;
import outbox.inbox.rabbitmq.RabbitInbox;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;

/** A process that consumes until it is killed. */
final class ConsumerProcess {
    static final String TYPE = "money.moved";

    private final ThreadLocalTxContext tx = new ThreadLocalTxContext();

    private ConsumerProcess() {}

    /** @param poison whether its handler ends the process */
    @EventName(TYPE)
    record MoneyMoved(int number, boolean poison) {}

    /**
     * Arguments: {@code durable} or {@code inline}, {@code kafka}, {@code rabbitmq} or {@code none}, address, topic or queue,
     * JDBC URL, user, node id.
     */
    public static void main(String[] args) throws Exception {
        new ConsumerProcess().run(args);
    }

    private void run(String[] args) throws Exception {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[4]);
        config.setUsername(args[5]);
        config.setMaximumPoolSize(6);
        HikariDataSource dataSource = new HikariDataSource(config);
        Inbox inbox = args[0].equals("durable") ? durable(dataSource, args[6]) : inline(dataSource);
        if (args[1].equals("kafka")) {
            KafkaInbox.builder(inbox, args[2])
                    .groupId(args[3])
                    .topics(args[3])
                    .consumer("max.poll.records", 100)
                    .consumer("session.timeout.ms", 6_000)
                    .consumer("metadata.max.age.ms", 1_000)
                    .build()
                    .start();
        } else if (args[1].equals("rabbitmq")) {
            ConnectionFactory factory = new ConnectionFactory();
            factory.setUri(args[2]);
            RabbitInbox.builder(inbox, factory)
                    .queues(args[3])
                    .prefetch(100)
                    .build()
                    .start();
        }
        int unused = System.in.read(); // until it is killed, or its parent ends
        Runtime.getRuntime().halt(0);
    }

    @InboxHandler(name = "ledger", transactional = true, concurrency = 2)
    void on(MoneyMoved event) throws SQLException {
        JdbcTemplate.update(
                tx.currentConnection(), "INSERT INTO effect (number) VALUES (?)", row -> row.setInt(1, event.number()));
        if (event.poison()) {
            Runtime.getRuntime().halt(42);
        }
    }

    private DurableInbox durable(HikariDataSource dataSource, String node) {
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
        return DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(EventHandlers.builder()
                        .scan(this, ConsumerProcess.class, InboxHandler.Mark.all())
                        .serializer(PayloadSerializers.detect())
                        .tracker(new JdbcEventConsumptionTracker("postgresql", connections, tx, "inbox_consumption"))
                        .transactions(runner(connections))
                        .defaultRetry(new RetryRule(attempts -> 1, 3))
                        .build())
                .deadLetterInvalid()
                .engine(engine -> engine.nodeId(node)
                        .pollInterval(Duration.ofMillis(50))
                        .leaseTime(Duration.ofSeconds(6))
                        .ordered())
                .build()
                .start();
    }

    private InlineInbox inline(HikariDataSource dataSource) {
        return InlineInbox.builder(dataSource)
                .group("billing")
                .transactions(tx, runner(new DataSourceConnectionProvider(dataSource)))
                .handlers(EventHandlers.builder()
                        .scan(this, ConsumerProcess.class, InboxHandler.Mark.all())
                        .serializer(PayloadSerializers.detect())
                        .inOneTransaction()
                        .build())
                .deadLetterInvalid()
                .build();
    }

    private TransactionRunner runner(DataSourceConnectionProvider connections) {
        return new JdbcTransactionRunner(new JdbcTransactionManager(connections, tx), tx);
    }
}
