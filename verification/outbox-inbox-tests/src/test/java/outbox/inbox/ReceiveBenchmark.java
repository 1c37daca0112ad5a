package outbox.inbox;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;
import outbox.util.Ulid;

/**
 * What receiving costs on PostgreSQL, beside hand-written JDBC for the same rows; one thread, interleaved rounds, fsync on.
 * {@code ./benchmark inbox [rounds]} prints it.
 */
final class ReceiveBenchmark {
    private static final int BATCH = 500;
    private static final int BATCHES = 40;
    private static final int SINGLES = 1_500;
    private static final String HEADERS = "{\"inbox-group\":\"billing\",\"inbox-message-id\":\"%s\",\"traceparent\":"
            + "\"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\"}";
    private static final String PAYLOAD = "{\"order\":\"42\",\"text\":\"" + "x".repeat(170) + "\"}";

    private final ThreadLocalTxContext tx = new ThreadLocalTxContext();
    private final HikariDataSource dataSource;
    private final DurableInbox durable;
    private final InlineInbox inline;
    private final JdbcTransactionRunner transactions;
    private int next;

    private ReceiveBenchmark(TestDatabase database) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(
                database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?") + "reWriteBatchedInserts=true");
        config.setUsername(database.username());
        config.setPassword(database.password());
        dataSource = new HikariDataSource(config);
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
        transactions = new JdbcTransactionRunner(new JdbcTransactionManager(connections, tx), tx);
        try (Connection connection = dataSource.getConnection()) {
            JdbcOutboxStores.detect(database.jdbcUrl())
                    .withTable(DurableInbox.DEFAULT_TABLE)
                    .schema()
                    .apply(connection);
            JdbcTemplate.update(connection, "CREATE TABLE work (number INT)", JdbcTemplate.Binder.NOTHING);
        }
        durable = DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(new DefaultListenerRegistry())
                .engine(engine -> engine.workerCount(0)) // what is measured is receiving
                .build();
        inline = InlineInbox.builder(dataSource)
                .group("billing")
                .transactions(tx, transactions)
                .build();
    }

    /** Arguments: rounds. */
    public static void main(String[] args) throws Exception {
        int rounds = args.length == 0 ? 7 : Integer.parseInt(args[0]);
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase();
        ReceiveBenchmark benchmark = new ReceiveBenchmark(database);
        benchmark.run(rounds);
        benchmark.dataSource.close();
        database.drop();
        System.exit(0);
    }

    /** A measurement; returns how many messages it did. */
    private interface Case {
        int run() throws Exception;
    }

    private void run(int rounds) throws Exception {
        Map<String, Case> cases = new LinkedHashMap<>();
        cases.put("raw, batches of " + BATCH, this::rawBatches);
        cases.put("durable, receiveAll(" + BATCH + ")", this::durableBatches);
        cases.put("raw, one by one", this::rawSingles);
        cases.put("durable, receive", this::durableSingles);
        cases.put("work alone", this::workAlone);
        cases.put("inline, work and record", this::workInline);
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        for (int round = -1; round < rounds; round++) { // the first one warms up
            for (Map.Entry<String, Case> each : cases.entrySet()) {
                try (Connection connection = dataSource.getConnection()) {
                    JdbcTemplate.update(connection, "TRUNCATE inbox_event, work", JdbcTemplate.Binder.NOTHING);
                }
                long start = System.nanoTime();
                int count = each.getValue().run();
                double rate = count * 1e9 / (System.nanoTime() - start);
                if (round >= 0) {
                    rates.computeIfAbsent(each.getKey(), key -> new ArrayList<>())
                            .add(rate);
                }
            }
        }
        List<String> names = List.copyOf(cases.keySet());
        System.out.println("| case | messages/s, median | against the line above, median (range) |");
        System.out.println("| --- | ---: | ---: |");
        for (int i = 0; i < names.size(); i++) {
            List<Double> own = rates.get(names.get(i));
            String ratio = "";
            if (i % 2 == 1) {
                List<Double> other = rates.get(names.get(i - 1));
                double[] ratios = new double[own.size()];
                Arrays.setAll(ratios, round -> own.get(round) / other.get(round));
                Arrays.sort(ratios);
                ratio = String.format(
                        Locale.ROOT,
                        "%.2f (%.2f–%.2f)",
                        ratios[ratios.length / 2],
                        ratios[0],
                        ratios[ratios.length - 1]);
            }
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.0f | %s |%n",
                    names.get(i),
                    own.stream().sorted().toList().get(own.size() / 2),
                    ratio);
        }
    }

    private InboxMessage message() {
        String id = "m-" + next++;
        return InboxMessage.builder("order.placed")
                .id(id)
                .key("42")
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .payload(PAYLOAD)
                .build();
    }

    private int durableBatches() {
        for (int batch = 0; batch < BATCHES; batch++) {
            List<InboxMessage> messages = new ArrayList<>(BATCH);
            for (int i = 0; i < BATCH; i++) {
                messages.add(message());
            }
            List<Receipt> unused = durable.receiveAll(messages);
        }
        return BATCH * BATCHES;
    }

    private int durableSingles() {
        for (int i = 0; i < SINGLES; i++) {
            Receipt unused = durable.receive(message());
        }
        return SINGLES;
    }

    private int rawBatches() throws SQLException {
        for (int batch = 0; batch < BATCHES; batch++) {
            raw(BATCH);
        }
        return BATCH * BATCHES;
    }

    private int rawSingles() throws SQLException {
        for (int i = 0; i < SINGLES; i++) {
            raw(1);
        }
        return SINGLES;
    }

    private void raw(int rows) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO inbox_event (event_id, event_type, aggregate_type, aggregate_id, payload, headers, status,"
                            + " attempts, available_at, created_at) VALUES (?, 'order.placed', 'Message', '42', ?::jsonb,"
                            + " ?::jsonb, 0, 0, clock_timestamp(), clock_timestamp())")) {
                for (int i = 0; i < rows; i++) {
                    String id = Ulid.next();
                    insert.setString(1, id);
                    insert.setString(2, PAYLOAD);
                    insert.setString(3, HEADERS.formatted(id));
                    insert.addBatch();
                }
                int[] unused = insert.executeBatch();
            }
            connection.commit();
        }
    }

    private int workAlone() throws Exception {
        for (int i = 0; i < SINGLES; i++) {
            transactions.run(outbox.domain.TxMode.REQUIRED, () -> {
                work();
                return true;
            });
        }
        return SINGLES;
    }

    private int workInline() throws Exception {
        for (int i = 0; i < SINGLES; i++) {
            boolean unused = inline.once(message(), this::work);
        }
        return SINGLES;
    }

    private void work() throws SQLException {
        int unused = JdbcTemplate.update(
                tx.currentConnection(), "INSERT INTO work VALUES (?)", statement -> statement.setInt(1, next));
    }
}
