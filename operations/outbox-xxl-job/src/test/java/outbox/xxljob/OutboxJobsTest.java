package outbox.xxljob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.xxl.job.core.executor.impl.XxlJobSimpleExecutor;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.dead.FailedEvents;
import outbox.jdbc.DataSourceConnectionProvider;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.Outboxes;
import outbox.testing.RecordingListener;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.FreePort;

/** A real executor, spoken to as the admin speaks to it. */
class OutboxJobsTest {
    private static final String TOKEN = "token-for-tests";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    static Path logs;

    private static FakeAdmin admin;
    private static XxlJobSimpleExecutor executor;
    private static String executorUrl;

    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions =
            new JdbcTransactionManager(new DataSourceConnectionProvider(dataSource), txContext);
    private final RecordingListener listener = new RecordingListener();
    private final CountDownLatch slowBegan = new CountDownLatch(1);
    private final CountDownLatch slowMayEnd = new CountDownLatch(1);
    private final AtomicReference<FailedEvents> alert = new AtomicReference<>();
    private Outbox outbox;
    private OutboxJobs jobs;

    @BeforeAll
    static void startExecutor() throws Exception {
        admin = new FakeAdmin(TOKEN);
        int port = FreePort.find();
        executor = new XxlJobSimpleExecutor();
        executor.setAdminAddresses("http://127.0.0.1:1/xxl-job-admin," + admin.url()); // one of two admins is away
        executor.setAccessToken(TOKEN);
        executor.setAppname("orders");
        executor.setIp("127.0.0.1");
        executor.setPort(port);
        executor.setLogPath(logs.toString());
        executor.setLogRetentionDays(3);
        executor.setXxlJobBeanList(new ArrayList<>());
        executor.start();
        executorUrl = "http://127.0.0.1:" + port + "/";
    }

    @AfterAll
    static void stopExecutorWhichTellsTheAdmin() {
        executor.destroy();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(admin.calls("registryRemove"))
                        .isNotEmpty()
                        .allSatisfy(call -> assertThat(call.body()).contains("\"registryKey\":\"orders\"")));
        admin.close();
    }

    @BeforeEach
    void open() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            OutboxSchema.of("h2", "outbox_event").apply(connection);
        }
        outbox = JdbcOutbox.multiNode(dataSource)
                .transactions(txContext)
                .listeners(new DefaultListenerRegistry()
                        .register("Order", "OrderPlaced", listener)
                        .register("Order", "SlowOrder", event -> {
                            slowBegan.countDown();
                            slowMayEnd.await();
                        }))
                .maxAttempts(1)
                .pollOnDemand()
                .failedEventAlert(alert::set)
                .build()
                .start();
        jobs = OutboxJobs.register(outbox.relay());
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(FakeAdmin.code(admin.call(executorUrl, "beat", "")))
                        .isEqualTo(200));
    }

    @AfterEach
    void close() {
        jobs.close();
        outbox.close();
    }

    /** Written by a process that does not deliver, so that only a job brings them on. */
    private List<String> writeElsewhere(int count) throws Exception {
        return writeElsewhere(count, "OrderPlaced");
    }

    private List<String> writeElsewhere(int count, String type) throws Exception {
        List<String> ids = new ArrayList<>();
        try (Outbox writer = JdbcOutbox.writerOnly(dataSource)
                        .transactions(txContext)
                        .build();
                JdbcTransactionManager.Transaction tx = transactions.begin()) {
            for (int i = 0; i < count; i++) {
                EventEnvelope event = EventEnvelope.builder(type)
                        .aggregateType("Order")
                        .payloadJson("{}")
                        .build();
                writer.writer().write(event);
                ids.add(event.eventId());
            }
            tx.commit();
        }
        return ids;
    }

    private String ranAs(long logId) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(admin.callbackOf(logId)).isNotEmpty());
        return admin.callbackOf(logId);
    }

    @Test
    void theExecutorIsKnownToTheAdminAndAlive() throws Exception {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(admin.calls("registry")).isNotEmpty());
        assertThat(admin.calls("registry").get(0).token()).isEqualTo(TOKEN);
        assertThat(admin.calls("registry").get(0).body())
                .contains("\"registryGroup\":\"EXECUTOR\"", "\"registryKey\":\"orders\"");
        assertThat(FakeAdmin.code(admin.call(executorUrl, "idleBeat", "{\"jobId\": 99}")))
                .isEqualTo(200);
        assertThat(FakeAdmin.code(admin.call(executorUrl, "beat", "", "another token")))
                .isNotEqualTo(200);
    }

    @Test
    void theRecoverJobDeliversAllThatIsDue() throws Exception {
        List<String> ids = writeElsewhere(250);

        long run = admin.run(executorUrl, 1, OutboxJobs.RECOVER, "");

        assertThat(ranAs(run))
                .contains("\"handleCode\":200", "250 event(s) were due: 250 delivered, 0 to be retried, 0 dead");
        assertThat(listener.deliveredIds()).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(admin.calls("callback").get(0).token()).isEqualTo(TOKEN);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(admin.log(executorUrl, run)).contains("250 event(s) were due"));
    }

    @Test
    void theRelayJobDeliversOneBatchOfTheSizeGiven() throws Exception {
        writeElsewhere(30);

        assertThat(ranAs(admin.run(executorUrl, 2, OutboxJobs.RELAY, " 10 ")))
                .contains("\"handleCode\":200", "10 event(s) were due: 10 delivered");
        assertThat(listener.delivered()).hasSize(10);
        assertThat(ranAs(admin.run(executorUrl, 2, OutboxJobs.RELAY, ""))).contains("20 event(s) were due");
    }

    @Test
    void aParameterThatIsNoSizeFailsTheRunAndSaysWhatItShouldBe() throws Exception {
        writeElsewhere(1);
        for (String parameter : List.of("ten", "0", "-5", "99999999999")) {
            assertThat(ranAs(admin.run(executorUrl, 3, OutboxJobs.RELAY, parameter)))
                    .contains("\"handleCode\":500", "a positive whole number", parameter);
        }
        assertThat(listener.received()).isEmpty();
    }

    @Test
    void theWarnJobTellsTheAlertOfDeadEvents() throws Exception {
        assertThat(ranAs(admin.run(executorUrl, 4, OutboxJobs.WARN_FAILED, "")))
                .contains("\"handleCode\":200", "no event is dead");
        assertThat(alert.get()).isNull();

        listener.failAlways(() -> new IllegalStateException("no"));
        writeElsewhere(2);
        assertThat(ranAs(admin.run(executorUrl, 1, OutboxJobs.RECOVER, ""))).contains("2 dead");
        assertThat(ranAs(admin.run(executorUrl, 4, OutboxJobs.WARN_FAILED, "")))
                .contains("\"handleCode\":200", "2 event(s) are dead");
        assertThat(alert.get().dead()).isEqualTo(2);
        assertThat(Outboxes.count(dataSource, "outbox_event", EventStatus.DEAD)).isEqualTo(2);

        assertThat(ranAs(admin.run(executorUrl, 4, OutboxJobs.WARN_FAILED, OutboxJobs.ALARM)))
                .as("XXL-Job raises an alarm of its own")
                .contains("\"handleCode\":500", "2 event(s) are dead");
        assertThat(ranAs(admin.run(executorUrl, 4, OutboxJobs.WARN_FAILED, "loud")))
                .contains("\"handleCode\":500", "'alarm' or empty; it is 'loud'");
    }

    @Test
    void anErrorOfAJobIsReportedWithItsMessageAndLogged() throws Exception {
        try (Connection connection = dataSource.getConnection()) {
            connection.createStatement().execute("DROP TABLE outbox_event");
        }

        long run = admin.run(executorUrl, 5, OutboxJobs.RECOVER, "");

        assertThat(ranAs(run)).contains("\"handleCode\":500", "claim on outbox_event failed");
        await().atMost(PATIENCE)
                .untilAsserted(() ->
                        assertThat(admin.log(executorUrl, run)).contains("claim on outbox_event failed", "\\tat "));
        assertThat(admin.log(executorUrl, run)).contains("job execute start");
        assertThat(admin.log(executorUrl, run, 10))
                .as("the admin reads page by page")
                .contains("\"fromLineNum\":10", "\\tat ")
                .doesNotContain("job execute start");
    }

    @Test
    void whoHasAnotherTokenRunsNothing() throws Exception {
        writeElsewhere(1);
        String answer =
                admin.call(executorUrl, "run", FakeAdmin.trigger(7, OutboxJobs.RECOVER, "", 4711), "another token");

        assertThat(FakeAdmin.code(answer)).isNotEqualTo(200);
        assertThat(admin.callbackOf(4711)).isEmpty();
        assertThat(listener.received()).isEmpty();
    }

    @Test
    void aRunThatIsKilledIsReportedAndWhatItBeganIsDelivered() throws Exception {
        writeElsewhere(1, "SlowOrder");
        long run = admin.run(executorUrl, 8, OutboxJobs.RECOVER, "");
        slowBegan.await();
        assertThat(FakeAdmin.code(admin.call(executorUrl, "idleBeat", "{\"jobId\": 8}")))
                .as("it is busy")
                .isNotEqualTo(200);

        assertThat(FakeAdmin.code(admin.call(executorUrl, "kill", "{\"jobId\": 8}")))
                .isEqualTo(200);

        assertThat(ranAs(run)).contains("\"handleCode\":500", "killed");
        slowMayEnd.countDown();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Outboxes.count(dataSource, "outbox_event", EventStatus.DONE))
                        .isEqualTo(1));
    }

    @Test
    void outboxesHaveJobsOfTheirOwnByName() throws Exception {
        writeElsewhere(1);
        try (OutboxJobs named = OutboxJobs.register("orders", outbox.relay())) {
            assertThat(ranAs(admin.run(executorUrl, 6, "ordersOutboxRecover", "")))
                    .contains("1 event(s) were due: 1 delivered");
        }
        assertThat(ranAs(admin.run(executorUrl, 6, "ordersOutboxRecover", "")))
                .contains("\"handleCode\":500", "the outbox of job ordersOutboxRecover is closed");
    }
}
