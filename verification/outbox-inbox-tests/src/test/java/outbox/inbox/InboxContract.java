package outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.EventListener;
import outbox.OutboxBuilder;
import outbox.domain.EventName;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventHandler;
import outbox.domain.handler.EventHandlers;
import outbox.domain.handler.EventId;
import outbox.domain.handler.RetryRule;
import outbox.domain.jackson.PayloadSerializers;
import outbox.domain.type.EventTypes;
import outbox.domain.type.Upcaster;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.JdbcTemplate.Binder;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventSeal;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** The durable inbox on a real database. */
abstract class InboxContract {
    private static final Duration LONG = Duration.ofMinutes(3);

    @EventName(value = "order.placed", version = 2)
    public record OrderPlaced(String order, int total) {}

    private final List<AutoCloseable> open = new ArrayList<>();
    private final ThreadLocalTxContext tx = new ThreadLocalTxContext();
    private TestDatabase database;
    private HikariDataSource dataSource;
    private AbstractJdbcOutboxStore store;
    private ConnectionProvider connections;
    private JdbcTransactionManager manager;
    private TransactionRunner transactions;

    abstract DatabaseServer server();

    @BeforeEach
    void open() throws SQLException {
        database = server().freshDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl() + (server().name().equals("h2") ? ";LOCK_TIMEOUT=60000" : ""));
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(1);
        dataSource = new HikariDataSource(config);
        connections = new DataSourceConnectionProvider(dataSource);
        manager = new JdbcTransactionManager(connections, tx);
        transactions = new JdbcTransactionRunner(manager, tx);
        store = JdbcOutboxStores.detect(database.jdbcUrl()).withTable(DurableInbox.DEFAULT_TABLE);
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            InboxSchemaTest.migration(server().name(), "V20261101000020__inbox_event")
                    .apply(conn);
            IdempotencySchema.of(server().name()).apply(conn);
            statement.execute("CREATE TABLE effect (name VARCHAR(64) NOT NULL)");
        }
    }

    @AfterEach
    void close() throws Exception {
        Collections.reverse(open);
        for (AutoCloseable each : open) {
            each.close();
        }
        dataSource.close();
        database.drop();
    }

    private DurableInboxBuilder builder(ListenerRegistry handlers) {
        return DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(handlers)
                .transactions(tx)
                .engine(InboxContract::quick);
    }

    private static void quick(OutboxBuilder engine) {
        engine.pollInterval(Duration.ofMillis(50)).retryPolicy(attempts -> 1);
    }

    private DurableInbox started(DurableInboxBuilder builder) {
        DurableInbox inbox = builder.build().start();
        open.add(inbox);
        return inbox;
    }

    private static ListenerRegistry listener(EventListener listener) {
        return new DefaultListenerRegistry().register("order.placed", listener);
    }

    private static InboxMessage message(String id) {
        return InboxMessage.builder("order.placed")
                .id(id)
                .payload("{\"order\":\"" + id + "\",\"total\":1}")
                .build();
    }

    private List<String> query(String sql) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return JdbcTemplate.query(conn, sql, Binder.NOTHING, row -> row.getString(1));
        }
    }

    private void awaitDone(int count) {
        await().atMost(LONG)
                .until(() -> query("SELECT event_id FROM inbox_event WHERE status = 1")
                                .size()
                        == count);
    }

    @Test
    void aMessageThatComesAgainIsAnsweredAtOnceAndHandledOnce() throws Exception {
        Map<String, Integer> handled = new ConcurrentHashMap<>();
        DurableInbox inbox = started(builder(listener(event -> handled.merge(event.eventId(), 1, Integer::sum))));

        assertThat(inbox.receive(message("m-1"))).isEqualTo(Receipt.RECEIVED);
        assertThat(inbox.receive(message("m-1"))).isEqualTo(Receipt.DUPLICATE);
        awaitDone(1);
        assertThat(inbox.receive(message("m-1"))).as("after it was handled").isEqualTo(Receipt.DUPLICATE);
        assertThat(inbox.receive(message("m-2"))).isEqualTo(Receipt.RECEIVED);
        awaitDone(2);

        assertThat(handled).hasSize(2).containsEntry(inbox.eventIdOf("m-1"), 1);
        assertThat(inbox.counts()).isEqualTo(new InboxCounts(2, 2, 0));
    }

    @Test
    void eachGroupReceivesAMessageOnce() {
        DurableInbox billing = started(builder(listener(event -> {})));
        DurableInbox shipping = builder(listener(event -> {})).group("shipping").build();
        open.add(shipping);

        assertThat(billing.receive(message("m-1"))).isEqualTo(Receipt.RECEIVED);
        assertThat(shipping.receive(message("m-1"))).isEqualTo(Receipt.RECEIVED);
        assertThat(shipping.receive(message("m-1"))).isEqualTo(Receipt.DUPLICATE);
    }

    @Test
    void aBatchWithSomeDuplicatesStoresTheOthers() {
        DurableInbox inbox = started(builder(listener(event -> {})));
        List<InboxMessage> first =
                IntStream.range(0, 300).mapToObj(i -> message("m-" + i)).toList();
        inbox.receiveAll(first);

        List<InboxMessage> second = new ArrayList<>();
        IntStream.range(200, 700).forEach(i -> second.add(message("m-" + i)));
        second.add(message("m-699"));
        List<Receipt> receipts = inbox.receiveAll(second);

        assertThat(receipts.subList(0, 100)).containsOnly(Receipt.DUPLICATE);
        assertThat(receipts.subList(100, 500)).containsOnly(Receipt.RECEIVED);
        assertThat(receipts.get(500)).as("twice in one batch").isEqualTo(Receipt.DUPLICATE);
        awaitDone(700);
    }

    @Test
    void nodesThatReceiveTheSameMessagesAtTheSameTimeStoreEachOnce() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        DurableInbox one = started(builder(listener(event -> calls.incrementAndGet())));
        DurableInbox two = started(builder(listener(event -> calls.incrementAndGet())));
        List<InboxMessage> messages = new ArrayList<>(
                IntStream.range(0, 400).mapToObj(i -> message("m-" + i)).toList());
        ExecutorService threads = Executors.newFixedThreadPool(4);
        open.add(threads::shutdownNow);
        List<Future<Long>> counts = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            DurableInbox inbox = i % 2 == 0 ? one : two;
            List<InboxMessage> shuffled = new ArrayList<>(messages);
            Collections.shuffle(shuffled);
            counts.add(threads.submit(() -> {
                long received = 0;
                for (int from = 0; from < shuffled.size(); from += 20) {
                    received += inbox.receiveAll(shuffled.subList(from, from + 20)).stream()
                            .filter(Receipt.RECEIVED::equals)
                            .count();
                }
                return received;
            }));
        }
        long received = 0;
        for (Future<Long> count : counts) {
            received += count.get();
        }

        assertThat(received).isEqualTo(400);
        awaitDone(400);
        assertThat(calls).hasValue(400);
    }

    @Test
    void inTheCallersTransactionAMessageIsReceivedOnlyIfItCommits() throws Exception {
        DurableInbox inbox = started(builder(listener(event -> {})));
        try (JdbcTransactionManager.Transaction rolledBack = manager.begin()) {
            assertThat(inbox.receiveInTransaction(message("m-1"))).isEqualTo(Receipt.RECEIVED);
            rolledBack.rollback();
        }
        assertThat(query("SELECT event_id FROM inbox_event")).isEmpty();
        try (JdbcTransactionManager.Transaction committed = manager.begin()) {
            assertThat(inbox.receiveInTransaction(message("m-1"))).isEqualTo(Receipt.RECEIVED);
            assertThat(inbox.receiveInTransaction(message("m-1"))).isEqualTo(Receipt.DUPLICATE);
            effect("after the duplicate");
            committed.commit();
        }
        assertThat(query("SELECT name FROM effect")).containsExactly("after the duplicate");
        awaitDone(1);
        assertThatThrownBy(() -> inbox.receiveInTransaction(message("m-2")))
                .hasMessageContaining("no active transaction");
    }

    @Test
    void receiveCommitsEvenIfTheCallersTransactionRollsBack() throws Exception {
        DurableInbox inbox = started(builder(listener(event -> {})));
        try (JdbcTransactionManager.Transaction rolledBack = manager.begin()) {
            assertThat(inbox.receive(message("m-1"))).isEqualTo(Receipt.RECEIVED);
            rolledBack.rollback();
        }
        awaitDone(1);
    }

    private void effect(String name) throws SQLException {
        JdbcTemplate.update(
                tx.currentConnection(), "INSERT INTO effect (name) VALUES (?)", row -> row.setString(1, name));
    }

    /** Fails each message once after its effect, and once after its commit. */
    class Ledger implements TransactionRunner {
        final Map<String, Integer> calls = new ConcurrentHashMap<>();
        final Map<String, String> keys = new ConcurrentHashMap<>();
        final ThreadLocal<Boolean> failAfterCommit = ThreadLocal.withInitial(() -> false);

        @EventHandler(name = "ledger", transactional = true)
        void on(OrderPlaced event, @EventId String idempotencyKey) throws SQLException {
            keys.put(event.order(), idempotencyKey);
            effect(event.order());
            if (calls.merge(event.order(), 1, Integer::sum) == 1) {
                throw new IllegalStateException("after the effect, before the commit");
            }
            failAfterCommit.set(true);
        }

        @Override
        public <T extends @Nullable Object> T run(TxMode mode, Work<T> work) throws Exception {
            T result = transactions.run(mode, work);
            if (failAfterCommit.get()) {
                failAfterCommit.set(false);
                throw new IllegalStateException("after the commit");
            }
            return result;
        }
    }

    private EventHandlers handlers(Object bean, TransactionRunner runner) {
        EventHandlers handlers = EventHandlers.scan(bean)
                .types(EventTypes.builder()
                        .register(OrderPlaced.class)
                        .upcaster(new Upcaster("order.placed", 1, json -> json.replace("\"sum\"", "\"total\"")))
                        .build())
                .serializer(PayloadSerializers.detect())
                .tracker(new JdbcEventConsumptionTracker(server().name(), connections, tx))
                .transactions(runner)
                .defaultRetry(new RetryRule(attempts -> 1, 5))
                .defaultCircuitBreaker(0, Duration.ofSeconds(1))
                .build();
        open.add(handlers);
        return handlers;
    }

    @Test
    void theEffectOfATransactionalHandlerHappensOnceAndItsKeyIsStable() throws Exception {
        Ledger ledger = new Ledger();
        DurableInbox inbox = started(builder(handlers(ledger, ledger)));

        List<InboxMessage> messages =
                IntStream.range(0, 30).mapToObj(i -> message("m-" + i)).toList();
        inbox.receiveAll(messages);
        inbox.receiveAll(messages);
        awaitDone(30);

        assertThat(query("SELECT name FROM effect")).hasSize(30).doesNotHaveDuplicates();
        assertThat(ledger.keys).containsEntry("m-7", inbox.eventIdOf("m-7"));
    }

    /** Takes typed payloads. */
    static class Typed {
        final Map<String, Integer> totals = new ConcurrentHashMap<>();

        @EventHandler(name = "typed")
        void on(OrderPlaced event) {
            totals.put(event.order(), event.total());
        }
    }

    @Test
    void payloadsAreTypedAndUpcastAndOneThatCannotBeReadIsDeadWithItsCause() throws Exception {
        Typed typed = new Typed();
        DurableInbox inbox = started(builder(handlers(typed, transactions)));

        inbox.receive(InboxMessage.builder("order.placed")
                .id("old")
                .payload("{\"order\":\"old\",\"sum\":7}")
                .build());
        inbox.receive(InboxMessage.builder("order.placed")
                .id("new")
                .header("eventVersion", "2")
                .payload("{\"order\":\"new\",\"total\":8}")
                .build());
        inbox.receive(InboxMessage.builder("order.placed")
                .id("text")
                .header("eventVersion", "2")
                .payload("not JSON")
                .build());
        inbox.receive(InboxMessage.builder("order.placed")
                .id("binary")
                .payload(new byte[] {(byte) 0xff, 0, 1})
                .build());
        awaitDone(2);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(query("SELECT last_error FROM inbox_event WHERE status = 3"))
                        .hasSize(2)
                        .allMatch(error -> error.contains("UnreadableEventException")));

        assertThat(typed.totals).isEqualTo(Map.of("old", 7, "new", 8));
        assertThat(inbox.receive(InboxMessage.builder("order.placed").id("text").build()))
                .as("a dead message is known")
                .isEqualTo(Receipt.DUPLICATE);
    }

    @Test
    void aMessageWithoutAnIdIsRefusedOrGetsOneByTheFunction() {
        InboxMessage nameless = InboxMessage.builder("order.placed")
                .source("orders")
                .position("3@42")
                .header("x-id", "m-1")
                .build();
        DurableInbox strict = started(builder(listener(event -> {})));
        assertThatThrownBy(() -> strict.receiveAll(List.of(message("ok"), nameless)))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining("has no id");
        assertThat(strict.receive(message("ok"))).as("nothing was stored").isEqualTo(Receipt.RECEIVED);

        DurableInbox byHeader = builder(listener(event -> {}))
                .messageId(MessageId.header("x-id").orElse(MessageId.position()))
                .build();
        open.add(byHeader);
        assertThat(byHeader.receive(nameless)).isEqualTo(Receipt.RECEIVED);
        assertThat(byHeader.receive(message("m-1"))).isEqualTo(Receipt.DUPLICATE);
        InboxMessage positioned = InboxMessage.builder("order.placed")
                .source("orders")
                .position("3@43")
                .build();
        assertThat(byHeader.receive(positioned)).isEqualTo(Receipt.RECEIVED);
        assertThat(byHeader.receive(positioned)).isEqualTo(Receipt.DUPLICATE);
    }

    @Test
    void invalidMessagesBecomeDeadLettersIfAskedAndTheOthersGoOn() throws Exception {
        DurableInbox inbox = started(builder(listener(event -> {})).deadLetterInvalid());
        InboxMessage nameless =
                InboxMessage.builder("order.placed").payload("{\"a\":1}").build();
        InboxMessage large = InboxMessage.builder("order.placed")
                .id("large")
                .payload(new byte[EventEnvelope.MAX_PAYLOAD_BYTES + 1])
                .build();
        InboxMessage noType =
                InboxMessage.builder("t".repeat(200)).id("long type\0").build();

        List<InboxMessage> messages = List.of(message("m-1"), nameless, large, noType, message("m-2"));
        assertThat(inbox.receiveAll(messages))
                .containsExactly(Receipt.RECEIVED, Receipt.DEAD, Receipt.DEAD, Receipt.DEAD, Receipt.RECEIVED);
        assertThat(inbox.receiveAll(messages)).containsOnly(Receipt.DUPLICATE);
        awaitDone(2);

        assertThat(query("SELECT last_error FROM inbox_event WHERE status = 3"))
                .hasSize(3)
                .anyMatch(error -> error.contains("has no id"))
                .anyMatch(error -> error.contains("the limit is " + EventEnvelope.MAX_PAYLOAD_BYTES))
                .anyMatch(error -> error.contains("200 characters"));
        assertThat(inbox.counts()).isEqualTo(new InboxCounts(2, 5, 3));
    }

    /** Refuses as encryption and the claim check do: within the write. */
    private static final class RefusingSeal implements EventSeal {
        @Override
        public EventEnvelope seal(EventEnvelope event) {
            if (event.headers().containsKey("looks-sealed")) {
                throw new IllegalArgumentException("header looks-sealed is reserved");
            }
            return event;
        }

        @Override
        public EventEnvelope open(EventEnvelope stored) {
            return stored;
        }
    }

    private DurableInboxBuilder sealed() {
        return builder(listener(event -> {})).engine(engine -> {
            quick(engine);
            engine.seal(new RefusingSeal());
        });
    }

    private static InboxMessage refused(String id) {
        return InboxMessage.builder("order.placed")
                .id(id)
                .header("looks-sealed", "yes")
                .payload("{}")
                .build();
    }

    @Test
    void aMessageThatTheSealRefusesBecomesADeadLetterAndTheOthersAreStored() throws Exception {
        DurableInbox inbox = started(sealed().deadLetterInvalid());
        inbox.receive(message("m-0"));

        List<InboxMessage> messages = List.of(message("m-0"), message("m-1"), refused("r-1"), message("m-2"));
        assertThat(inbox.receiveAll(messages))
                .containsExactly(Receipt.DUPLICATE, Receipt.RECEIVED, Receipt.DEAD, Receipt.RECEIVED);
        assertThat(inbox.receiveAll(messages)).containsOnly(Receipt.DUPLICATE);
        assertThat(inbox.receive(refused("r-2"))).isEqualTo(Receipt.DEAD);
        assertThat(inbox.receive(refused("r-2"))).isEqualTo(Receipt.DUPLICATE);
        assertThat(inbox.receiveAll(List.of(message("m-3"), refused("r-3"))))
                .containsExactly(Receipt.RECEIVED, Receipt.DEAD);
        try (JdbcTransactionManager.Transaction callers = manager.begin()) {
            assertThat(inbox.receiveInTransaction(refused("r-4"))).isEqualTo(Receipt.DEAD);
            assertThat(inbox.receiveInTransaction(message("m-4"))).isEqualTo(Receipt.RECEIVED);
            callers.commit();
        }

        awaitDone(5);
        assertThat(query("SELECT last_error FROM inbox_event WHERE status = 3"))
                .hasSize(4)
                .allMatch(error -> error.contains("looks-sealed is reserved"));
    }

    @Test
    void aMessageThatTheSealRefusesIsNamedAndNothingOfItsBatchIsStored() throws Exception {
        DurableInbox strict = started(sealed());
        InboxMessage refused = refused("r-1");

        assertThatThrownBy(() -> strict.receive(refused))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining(refused.toString())
                .hasMessageContaining("looks-sealed is reserved");
        assertThatThrownBy(() -> strict.receiveAll(List.of(message("m-1"), refused)))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining(refused.toString());
        assertThat(query("SELECT event_id FROM inbox_event")).isEmpty();
    }

    @Test
    void aMessageIdFunctionThatFailsMakesTheMessageInvalid() throws Exception {
        MessageId failing = message -> {
            throw new IllegalStateException("no id in there");
        };
        InboxMessage nameless = InboxMessage.builder("order.placed")
                .source("orders")
                .position("3@42")
                .build();
        DurableInbox strict = started(builder(listener(event -> {})).messageId(failing));
        assertThatThrownBy(() -> strict.receive(nameless))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining("no id in there");

        DurableInbox inbox =
                started(builder(listener(event -> {})).messageId(failing).deadLetterInvalid());
        assertThat(inbox.receiveAll(List.of(nameless, message("m-1")))).containsExactly(Receipt.DEAD, Receipt.RECEIVED);
        assertThat(inbox.receive(nameless)).isEqualTo(Receipt.DUPLICATE);
        assertThat(query("SELECT last_error FROM inbox_event WHERE status = 3"))
                .singleElement()
                .asString()
                .contains("no id in there");
    }

    @Test
    void messagesOfOneKeyAreHandledInTheOrderTheyWereReceived() throws Exception {
        try (Connection conn = dataSource.getConnection()) {
            InboxSchemaTest.migration("ordered-" + server().name(), "V20261101000021__inbox_event_seq")
                    .apply(conn);
        }
        Map<String, List<String>> handled = new ConcurrentHashMap<>();
        AtomicInteger failures = new AtomicInteger();
        DurableInbox inbox = started(builder(listener(event -> {
                    String text = new String(event.payloadBytes(), StandardCharsets.UTF_8);
                    if (event.attempt() == 1 && text.endsWith("5")) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("comes again, and the others of its key wait");
                    }
                    handled.computeIfAbsent(event.aggregateId(), key -> Collections.synchronizedList(new ArrayList<>()))
                            .add(text);
                }))
                .engine(engine -> {
                    quick(engine);
                    engine.ordered();
                }));
        for (int i = 0; i < 200; i += 20) {
            inbox.receiveAll(IntStream.range(i, i + 20)
                    .mapToObj(n -> InboxMessage.builder("order.placed")
                            .id("m-" + n)
                            .key("k-" + n % 10)
                            .payload("" + n)
                            .build())
                    .toList());
        }
        awaitDone(200);

        assertThat(failures.get()).isPositive();
        for (int key = 0; key < 10; key++) {
            int first = key;
            assertThat(handled.get("k-" + key))
                    .containsExactlyElementsOf(IntStream.range(0, 20)
                            .mapToObj(i -> "" + (first + i * 10))
                            .toList());
        }
    }

    @Test
    void aHandledMessageIsForgottenAfterTheWindow() throws Exception {
        DurableInbox inbox = started(builder(listener(event -> {})).deduplicationWindow(Duration.ofHours(1)));
        inbox.receiveAll(List.of(message("m-1"), message("m-2")));
        awaitDone(2);
        inbox.outbox().purgeOnce();
        assertThat(inbox.receive(message("m-1"))).isEqualTo(Receipt.DUPLICATE);

        try (Connection conn = dataSource.getConnection()) {
            JdbcTemplate.update(
                    conn,
                    "UPDATE inbox_event SET done_at = done_at - INTERVAL '2' HOUR WHERE event_id = ?",
                    row -> row.setString(1, inbox.eventIdOf("m-1")));
        }
        inbox.outbox().purgeOnce();
        assertThat(inbox.receive(message("m-1"))).isEqualTo(Receipt.RECEIVED);
        assertThat(inbox.receive(message("m-2"))).isEqualTo(Receipt.DUPLICATE);
    }

    @Test
    void whatWasReceivedByANodeThatEndedIsHandledByTheNext() {
        DurableInbox first = builder(listener(event -> {}))
                .engine(engine -> engine.workerCount(0))
                .build();
        assertThat(first.receive(message("m-1"))).isEqualTo(Receipt.RECEIVED);
        assertThat(first.pending(10)).isEqualTo(1);
        first.close();

        DurableInbox second = started(builder(listener(event -> {})));
        awaitDone(1);
        assertThat(second.receive(message("m-1"))).isEqualTo(Receipt.DUPLICATE);
    }

    @Test
    void contradictionsAreRefusedByName() {
        assertThatThrownBy(() -> DurableInbox.builder(dataSource)
                        .handlers(listener(event -> {}))
                        .build())
                .hasMessageContaining("group(...)");
        assertThatThrownBy(
                        () -> DurableInbox.builder(dataSource).group("billing").build())
                .hasMessageContaining("handlers(...)");
        assertThatThrownBy(() -> builder(listener(event -> {}))
                        .store(store)
                        .table("other")
                        .build())
                .hasMessageContaining("table(other)");
        assertThatThrownBy(() -> builder(listener(event -> {})).deduplicationWindow(Duration.ZERO))
                .hasMessageContaining("deduplicationWindow");
    }
}
