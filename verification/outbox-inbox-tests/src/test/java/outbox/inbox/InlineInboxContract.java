package outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.domain.EventName;
import outbox.domain.TransactionRunner;
import outbox.domain.TxMode;
import outbox.domain.handler.EventHandlers;
import outbox.domain.jackson.PayloadSerializers;
import outbox.idempotency.jdbc.JdbcTransactionRunner;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.JdbcTemplate.Binder;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.registry.DefaultListenerRegistry;
import outbox.registry.ListenerRegistry;
import outbox.spi.EventSeal;
import outbox.spi.UnitOfWork;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** The inline inbox on a real database. */
abstract class InlineInboxContract {
    private static final Duration LONG = Duration.ofMinutes(3);
    private static final Set<String> ROUND_TRIPS =
            Set.of("prepareStatement", "createStatement", "prepareCall", "setSavepoint");

    @EventName("order.placed")
    public record OrderPlaced(String order, int total) {}

    private final ThreadLocalTxContext tx = new ThreadLocalTxContext();
    private final AtomicInteger statements = new AtomicInteger();
    private TestDatabase database;
    private HikariDataSource dataSource;
    private TransactionRunner transactions;

    abstract DatabaseServer server();

    @BeforeEach
    void open() throws SQLException {
        database = server().freshDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl() + (server().name().equals("h2") ? ";LOCK_TIMEOUT=60000" : ""));
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMaximumPoolSize(8);
        config.setMinimumIdle(1);
        dataSource = new HikariDataSource(config);
        DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
        transactions = new JdbcTransactionRunner(
                new JdbcTransactionManager(() -> counting(connections.getConnection()), tx), tx);
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            InboxSchemaTest.migration(server().name(), "V20261101000020__inbox_event")
                    .apply(conn);
            statement.execute("CREATE TABLE effect (name VARCHAR(64) NOT NULL)");
        }
    }

    private Connection counting(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (ROUND_TRIPS.contains(method.getName())) {
                        statements.incrementAndGet();
                    }
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @AfterEach
    void close() throws SQLException {
        dataSource.close();
        database.drop();
    }

    private InlineInboxBuilder builder() {
        return InlineInbox.builder(dataSource).group("billing").transactions(tx, transactions);
    }

    private void effect(String name) throws SQLException {
        JdbcTemplate.update(
                tx.currentConnection(), "INSERT INTO effect (name) VALUES (?)", row -> row.setString(1, name));
    }

    private List<String> query(String sql) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return JdbcTemplate.query(conn, sql, Binder.NOTHING, row -> row.getString(1));
        }
    }

    private List<String> effects() throws SQLException {
        return query("SELECT name FROM effect ORDER BY name");
    }

    private static InboxMessage message(String id) {
        return InboxMessage.builder("order.placed")
                .id(id)
                .key("42")
                .source("orders")
                .payload("{\"order\":\"" + id + "\",\"total\":1}")
                .build();
    }

    @Test
    void theWorkOfAMessageIsDoneOncePerGroupAndCostsOneStatement() throws Exception {
        InlineInbox inbox = builder().build();
        String longId = "m".repeat(3000);

        assertThat(inbox.once("m-1", () -> effect("1"))).isTrue();
        assertThat(statements).as("the record and the work").hasValue(2);
        assertThat(inbox.once("m-1", () -> effect("2"))).isFalse();
        assertThat(statements).as("a duplicate").hasValue(3);
        assertThat(inbox.once(longId, () -> effect("3"))).isTrue();
        assertThat(inbox.once(longId, () -> effect("4"))).isFalse();
        assertThat(builder().group("shipping").build().once("m-1", () -> effect("5")))
                .isTrue();

        assertThat(effects()).containsExactly("1", "3", "5");
        assertThat(inbox.counts()).isEqualTo(new InboxCounts(2, 2, 0));
    }

    @Test
    void aMessageWhoseWorkFailedIsWorkedAgain() throws Exception {
        InlineInbox inbox = builder().build();
        assertThatThrownBy(() -> inbox.once("m-1", () -> {
                    effect("m-1");
                    throw new IllegalStateException("half way");
                }))
                .hasMessage("half way");

        assertThat(inbox.once("m-1", () -> effect("m-1"))).isTrue();
        assertThat(effects()).containsExactly("m-1");
    }

    @Test
    void aDuplicateLeavesTheCallersTransactionUsable() throws Exception {
        InlineInbox inbox = builder().build();
        inbox.once("m-1", () -> effect("m-1"));

        transactions.run(TxMode.REQUIRED, () -> {
            assertThat(inbox.once("m-1", () -> effect("again"))).isFalse();
            assertThat(inbox.once("m-2", () -> effect("m-2"))).isTrue();
            effect("the caller's");
            return null;
        });

        assertThat(effects()).containsExactly("m-1", "m-2", "the caller's");
    }

    @Test
    void whatTheCallerRollsBackIsHandledAgain() throws Exception {
        InlineInbox inbox = builder().build();
        assertThatThrownBy(() -> transactions.run(TxMode.REQUIRED, () -> {
                    assertThat(inbox.once("m-1", () -> effect("m-1"))).isTrue();
                    throw new IllegalStateException("later");
                }))
                .hasMessage("later");

        assertThat(inbox.once("m-1", () -> effect("m-1"))).isTrue();
        assertThat(effects()).containsExactly("m-1");
    }

    @Test
    void aSecondDeliveryAtTheSameTimeWaitsForTheFirst() throws Exception {
        InlineInbox inbox = builder().build();
        CountDownLatch working = new CountDownLatch(1);
        CountDownLatch commit = new CountDownLatch(1);
        CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(() -> once(inbox, () -> {
            effect("first");
            working.countDown();
            commit.await();
        }));
        working.await();
        CompletableFuture<Boolean> second = CompletableFuture.supplyAsync(() -> once(inbox, () -> effect("second")));

        assertThatThrownBy(() -> second.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        commit.countDown();
        assertThat(first.join()).isTrue();
        assertThat(second.join()).isFalse();
        assertThat(effects()).containsExactly("first");
    }

    private static boolean once(InlineInbox inbox, InlineInbox.Work work) {
        try {
            return inbox.once("m-1", work);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Two handlers of one message. */
    class Billing {
        @InboxHandler(group = "billing", name = "invoice", transactional = true)
        void invoice(OrderPlaced order) throws SQLException {
            effect("invoice " + order.order());
        }

        @InboxHandler(name = "statistics")
        void count(OrderPlaced order) throws SQLException {
            effect("count " + order.order());
            if (order.order().equals("bad")) {
                throw new IllegalStateException("no such order");
            }
        }

        @InboxHandler(group = "shipping", name = "ship")
        void ship(OrderPlaced order) throws SQLException {
            effect("ship " + order.order());
        }
    }

    private ListenerRegistry handlers() {
        return EventHandlers.builder()
                .scan(new Billing(), Billing.class, InboxHandler.Mark.ofGroup("billing"))
                .serializer(PayloadSerializers.detect())
                .inOneTransaction()
                .build();
    }

    @Test
    void theHandlersOfAGroupRunInOneTransactionOrNotAtAll() throws Exception {
        InlineInbox inbox = builder().handlers(handlers()).build();

        assertThat(inbox.receiveAll(List.of(message("m-1"), message("m-1"), message("m-2"))))
                .containsExactly(Receipt.HANDLED, Receipt.DUPLICATE, Receipt.HANDLED);
        assertThatThrownBy(() -> inbox.receive(message("bad")))
                .isInstanceOf(MessageFailedException.class)
                .hasMessageContaining("rolled back")
                .hasRootCauseMessage("no such order");

        assertThat(effects()).containsExactly("count m-1", "count m-2", "invoice m-1", "invoice m-2");
    }

    @Test
    void whatCanNeverBeHandledIsADeadLetterWithItsCauseAndTheOthersGoOn() throws Exception {
        InlineInbox inbox = builder().handlers(handlers()).deadLetterInvalid().build();
        List<InboxMessage> messages = List.of(
                InboxMessage.builder("order.placed")
                        .id("text")
                        .payload("no JSON")
                        .build(),
                InboxMessage.builder("order.placed").payload("{}").build(),
                InboxMessage.builder("order.unknown").id("unknown").build(),
                message("m-1"));

        assertThat(inbox.receiveAll(messages))
                .containsExactly(Receipt.DEAD, Receipt.DEAD, Receipt.DEAD, Receipt.HANDLED);
        assertThat(inbox.receiveAll(messages)).containsOnly(Receipt.DUPLICATE);

        assertThat(query("SELECT last_error FROM inbox_event WHERE status = 3"))
                .hasSize(3)
                .anyMatch(error -> error.contains("not the JSON of a"))
                .anyMatch(error -> error.contains("has no id"))
                .anyMatch(error -> error.contains("no class is registered for event type 'order.unknown'"));
        assertThat(inbox.counts()).isEqualTo(new InboxCounts(1, 4, 3));
        InlineInbox strict = builder().handlers(handlers()).build();
        assertThatThrownBy(() -> strict.receive(messages.get(1))).isInstanceOf(InvalidMessageException.class);
    }

    @Test
    void whatFailsInlineIsRetriedByTheEngineOfADurableInbox() throws Exception {
        Map<String, Integer> calls = new ConcurrentHashMap<>();
        ListenerRegistry flaky = new DefaultListenerRegistry().register("order.placed", event -> {
            if (calls.merge(event.eventId(), 1, Integer::sum) < 3) {
                throw new IllegalStateException("not yet");
            }
        });
        try (DurableInbox durable = DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(flaky)
                .engine(engine -> engine.pollInterval(Duration.ofMillis(50)).retryPolicy(attempts -> 1))
                .build()
                .start()) {
            InlineInbox inbox = builder().handlers(flaky).failuresTo(durable).build();

            assertThat(inbox.receive(message("m-1"))).isEqualTo(Receipt.RECEIVED);
            assertThat(inbox.receive(message("m-2"))).isEqualTo(Receipt.RECEIVED);
            await().atMost(LONG)
                    .until(() -> query("SELECT event_id FROM inbox_event WHERE status = 1")
                                    .size()
                            == 2);
            assertThat(calls.get(inbox.eventIdOf("m-2")))
                    .as("once inline, then by the engine")
                    .isEqualTo(3);
            assertThatThrownBy(
                            () -> builder().group("other").failuresTo(durable).build())
                    .hasMessageContaining("group billing");
        }
    }

    @Test
    void aHandlerThatFailsAtATableOfItsOwnIsAFailureOfTheHandler() throws Exception {
        ListenerRegistry failing = new DefaultListenerRegistry().register("order.placed", event -> {
            throw new OutboxStoreException("insert into another_table failed", null);
        });
        try (DurableInbox durable = DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(failing)
                .engine(engine -> engine.workerCount(0)) // it only receives
                .build()) {
            InlineInbox inbox = builder().handlers(failing).failuresTo(durable).build();
            assertThat(inbox.receive(message("m-1"))).isEqualTo(Receipt.RECEIVED);
            assertThat(query("SELECT event_id FROM inbox_event")).containsExactly(inbox.eventIdOf("m-1"));

            try (Connection conn = dataSource.getConnection();
                    Statement statement = conn.createStatement()) {
                statement.execute("ALTER TABLE inbox_event RENAME TO away");
            }
            assertThatThrownBy(() -> inbox.receive(message("m-2")))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("cannot record message");
        }
        assertThatThrownBy(() -> builder().handlers(failing).build().receive(message("m-3")))
                .as("of the record")
                .isInstanceOf(OutboxStoreException.class);
    }

    @Test
    void aFailedMessageThatTheEngineRefusesToStoreIsADeadLetter() throws Exception {
        ListenerRegistry failing = new DefaultListenerRegistry().register("order.placed", event -> {
            throw new IllegalStateException("not now");
        });
        EventSeal refusing = new EventSeal() {
            @Override
            public EventEnvelope seal(EventEnvelope event) {
                throw new IllegalArgumentException("too large when sealed");
            }

            @Override
            public EventEnvelope open(EventEnvelope stored) {
                return stored;
            }
        };
        try (DurableInbox durable = DurableInbox.builder(dataSource)
                .group("billing")
                .handlers(failing)
                .engine(engine -> engine.workerCount(0).seal(refusing))
                .build()) {
            InlineInbox strict = builder().handlers(failing).failuresTo(durable).build();
            assertThatThrownBy(() -> strict.receive(message("m-1"))).isInstanceOf(InvalidMessageException.class);
            InlineInbox inbox = builder()
                    .handlers(failing)
                    .failuresTo(durable)
                    .deadLetterInvalid()
                    .build();
            assertThat(inbox.receive(message("m-1"))).isEqualTo(Receipt.DEAD);
        }
        assertThat(query("SELECT last_error FROM inbox_event WHERE status = 3"))
                .singleElement()
                .asString()
                .contains("too large when sealed");
    }

    @Test
    void rowsHoldTheOriginButNotThePayloadAndAreForgottenByThePurge() throws Exception {
        InlineInbox inbox = builder().handlers(handlers()).build();
        inbox.receiveAll(IntStream.range(0, 5).mapToObj(i -> message("m-" + i)).toList());

        assertThat(query("SELECT headers FROM inbox_event WHERE event_id = '" + inbox.eventIdOf("m-3") + "'"))
                .singleElement()
                .satisfies(headers -> assertThat(headers).contains("m-3", "billing", "orders"));
        assertThat(query("SELECT payload FROM inbox_event")).hasSize(5).allMatch("null"::equals);
        assertThat(query("SELECT aggregate_id FROM inbox_event WHERE status = 1 AND done_at IS NOT NULL"))
                .hasSize(5)
                .containsOnly("42");
        assertThat(purgeBefore(inbox, Instant.now().minusSeconds(3600))).isZero();
        assertThat(purgeBefore(inbox, Instant.now().plusSeconds(3600))).isEqualTo(5);
        assertThat(inbox.receive(message("m-3"))).isEqualTo(Receipt.HANDLED);
    }

    private int purgeBefore(InlineInbox inbox, Instant time) throws SQLException {
        return UnitOfWork.run(
                new DataSourceConnectionProvider(dataSource),
                conn -> inbox.purger().purge(conn, time, 100));
    }

    @Test
    void whatIsMissingIsNamed() {
        assertThatThrownBy(
                        () -> InlineInbox.builder(dataSource).group("billing").build())
                .hasMessageContaining("transactions(...)");
        assertThatThrownBy(() -> InlineInbox.builder(dataSource)
                        .transactions(tx, transactions)
                        .build())
                .hasMessageContaining("group(...)");
        assertThatThrownBy(() -> builder().build().receive(message("m-1"))).hasMessageContaining("handlers(...)");
        assertThatThrownBy(() -> builder().build().once(" ", () -> {})).isInstanceOf(InvalidMessageException.class);
    }
}
