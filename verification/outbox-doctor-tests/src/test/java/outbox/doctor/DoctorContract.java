package outbox.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.doctor.Answer.Verdict;
import outbox.jdbc.payload.PayloadTable;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.spi.TxContext;
import outbox.testing.server.DatabaseServer;

/** Each planted fault is found, and nothing on a healthy system. */
@Timeout(120)
abstract class DoctorContract {
    abstract DatabaseServer server();

    /** {@code ALTER TABLE outbox_event …} so that the column has this definition. */
    abstract String alter(String column, String type, boolean nullable);

    abstract String dropIndex(String suffix);

    abstract String dropPrimaryKey();

    /** The suffix of the index that claims read. */
    abstract String claimIndex();

    static List<String> codes(Diagnosis diagnosis) {
        return diagnosis.findings().stream().map(Finding::code).toList();
    }

    static Finding only(Diagnosis diagnosis) {
        assertThat(diagnosis.findings()).as(diagnosis.toText()).hasSize(1);
        return diagnosis.findings().get(0);
    }

    // ---- healthy ------------------------------------------------------------------------------------------------

    @Test
    void aHealthySystemHasNoFindingsAndAllAnswersAreYes() throws Exception {
        Patient patient = Patient.on(server());
        patient.withAttempts();
        patient.withConsumption();
        patient.consumption("mailer", 1);
        ListenerTimes times = new ListenerTimes();
        try (Outbox outbox = patient.multiNode().interceptor(times).build().start()) {
            patient.deliver(outbox, 50);
            Diagnosis diagnosis = patient.doctor()
                    .outbox(outbox)
                    .listenerTimes(times)
                    .handlers(List.of("mailer"))
                    .sampleTime(Duration.ofMillis(100))
                    .examine();
            assertThat(diagnosis.findings()).as(diagnosis.toText()).isEmpty();
            assertThat(diagnosis.unseen()).as(diagnosis.toText()).isEmpty();
            assertThat(diagnosis.answers()).extracting(Answer::verdict).containsOnly(Verdict.YES);
            assertThat(diagnosis.answers()).extracting(Answer::question).containsExactly(Question.values());
            assertThat(diagnosis.exitCode(Severity.INFO)).isZero();
            assertThat(diagnosis.database()).isEqualTo(server().name());
        }
    }

    @Test
    void aHealthyOrderedTableHasNoFindings() throws Exception {
        assertThat(codes(Patient.ordered(server()).doctor().examine())).isEmpty();
    }

    @Test
    void theTableAloneTellsLessAndSaysSo() throws Exception {
        Diagnosis diagnosis = Patient.on(server()).doctor().examine();
        assertThat(diagnosis.findings()).isEmpty();
        assertThat(diagnosis.answer(Question.SAME_TRANSACTION).verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(diagnosis.answer(Question.LIMITED_RETRY).verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(diagnosis.answer(Question.SCALE_OUT).verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(diagnosis.answer(Question.DEDUPLICATION).verdict()).isEqualTo(Verdict.UNKNOWN);
    }

    // ---- schema -------------------------------------------------------------------------------------------------

    @Test
    void aMissingTableIsFound() {
        Finding finding = only(Patient.empty(server()).doctor().examine());
        assertThat(finding.code()).isEqualTo("table-missing");
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
    }

    @Test
    void theTableOfLargePayloadsIsComparedWhereThereIsOne() throws Exception {
        Patient patient = Patient.on(server());
        PayloadTable payloads = PayloadTable.of(JdbcOutboxStores.detect(patient.dataSource()));
        for (String statement : payloads.schema().statements()) {
            patient.execute(statement);
        }
        assertThat(codes(patient.doctor().examine())).isEmpty();
        patient.execute("ALTER TABLE outbox_event_payload DROP COLUMN data");
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("column-missing");
        assertThat(finding.seen()).contains("outbox_event_payload", "data");
    }

    @Test
    void theFixForAMissingColumnAddsIt() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute("ALTER TABLE outbox_event DROP COLUMN last_error");
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("column-missing");
        assertThat(finding.seen()).contains("last_error");
        patient.execute(finding.sql().replace(";", ""));
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void aNarrowerColumnIsFoundAndAWiderOneIsNot() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(alter("event_type", "VARCHAR(20)", false), alter("tenant_id", "VARCHAR(200)", true));
        Finding finding = only(patient.doctor().examineSchema());
        assertThat(finding.code()).isEqualTo("column-differs");
        assertThat(finding.seen()).contains("event_type", "varchar(20)", "varchar(128)");
    }

    @Test
    void columnsThatMayOrMustNotBeNullAreCompared() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(alter("aggregate_id", "VARCHAR(128)", false), alter("event_type", "VARCHAR(128)", true));
        Diagnosis diagnosis = patient.doctor().examine();
        assertThat(codes(diagnosis)).containsExactly("column-differs", "column-differs");
        assertThat(diagnosis.findings().get(0).seen()).contains("aggregate_id").contains("NOT NULL");
        assertThat(diagnosis.findings().get(1).seen()).contains("event_type").contains("nullable");
    }

    @Test
    void aColumnOfTheUsersThatTheWriterCanNotFillIsFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(
                "ALTER TABLE outbox_event ADD COLUMN region VARCHAR(10)",
                "ALTER TABLE outbox_event ADD COLUMN shard INT DEFAULT 0 NOT NULL",
                "ALTER TABLE outbox_event ADD COLUMN colour INT NOT NULL");
        assertThat(only(patient.doctor().examine()).seen()).contains("colour");
    }

    @Test
    void theFixForAMissingClaimIndexCreatesIt() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(dropIndex(claimIndex()));
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("index-missing");
        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        patient.execute(finding.sql().replace(";", ""));
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void theIndexOfDeliveredRowsIsMissedOnlyWhereThereAreSome() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(dropIndex("done"));
        assertThat(codes(patient.doctor().examine())).isEmpty();
        String id = patient.pending();
        patient.execute("UPDATE outbox_event SET status = 1, done_at = created_at WHERE event_id = '" + id + "'");
        assertThat(only(patient.doctor().examine()).code()).isEqualTo("index-missing");
    }

    @Test
    void anIndexOfAnotherNameThatServesIsEnough() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(
                dropIndex(claimIndex()), "CREATE INDEX our_own ON outbox_event (status, available_at, event_id)");
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void aLargeTableIsOfferedAnIndexForSearches() throws Exception {
        Patient patient = Patient.on(server());
        String id = patient.pending();
        patient.execute("UPDATE outbox_event SET status = 1, done_at = created_at WHERE event_id = '" + id + "'");
        assertThat(codes(patient.doctor().examine())).isEmpty();
        String digits = "(SELECT 0 AS n UNION SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5"
                + " UNION SELECT 6 UNION SELECT 7 UNION SELECT 8 UNION SELECT 9) ";
        patient.execute("INSERT INTO outbox_event (event_id, event_type, payload, status, attempts, available_at,"
                + " created_at, done_at) SELECT CONCAT('row-', a.n, b.n, c.n, d.n), e.event_type, e.payload, e.status,"
                + " e.attempts, e.available_at, e.created_at, e.done_at FROM outbox_event e, " + digits + "a, " + digits
                + "b, " + digits + "c, " + digits + "d WHERE e.event_id = '" + id + "'");
        Finding offered = only(patient.doctor().examine());
        assertThat(offered.code()).isEqualTo("index-optional");
        assertThat(offered.severity()).isEqualTo(Severity.INFO);
        patient.execute(offered.sql().replace(";", ""));
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void aMissingPrimaryKeyIsFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.execute(dropPrimaryKey());
        assertThat(patient.doctor().examine().findings())
                .anySatisfy(finding -> assertThat(finding.seen()).contains("no primary key"));
    }

    @Test
    void indexesOfOrderedDeliveryAreMissed() throws Exception {
        Patient patient = Patient.ordered(server());
        patient.execute(dropIndex("order"));
        assertThat(only(patient.doctor().examine()).seen()).contains("aggregate_id, aggregate_type");
    }

    // ---- the connection -----------------------------------------------------------------------------------------

    @Test
    void aWrongIsolationLevelIsFound() throws Exception {
        Patient patient = Patient.on(server());
        Finding serializable = only(at(patient, Connection.TRANSACTION_SERIALIZABLE));
        assertThat(serializable.code()).isEqualTo("isolation");
        assertThat(serializable.severity()).isEqualTo(Severity.WARNING);
        Diagnosis uncommitted = at(patient, Connection.TRANSACTION_READ_UNCOMMITTED);
        if (seesUncommitted()) {
            assertThat(only(uncommitted).severity()).isEqualTo(Severity.CRITICAL);
        } else {
            assertThat(codes(uncommitted)).isEmpty();
        }
    }

    /** Whether the lowest isolation level is what its name says. */
    boolean seesUncommitted() {
        return true;
    }

    private static Diagnosis at(Patient patient, int level) {
        return Doctor.of(new LevelDataSource(patient.dataSource(), level))
                .sampleTime(Duration.ZERO)
                .examine();
    }

    @Test
    void aClockThatIsOffIsFound() throws Exception {
        Patient patient = Patient.on(server());
        Finding finding =
                only(patient.doctor().clock(() -> Instant.now().plusSeconds(90)).examine());
        assertThat(finding.code()).isEqualTo("clock-offset");
        assertThat(finding.seen()).containsPattern("(89|90)\\.\\d s ahead");
    }

    @Test
    void whatCanNotBeReachedIsNoDiagnosis() {
        Doctor doctor = Doctor.of(new LevelDataSource(null, 0));
        assertThatThrownBy(doctor::examine)
                .isInstanceOf(CheckFailedException.class)
                .hasMessageContaining("outbox_event");
    }

    // ---- deliveries ---------------------------------------------------------------------------------------------

    @Test
    void listenersThatOutlastTheirLeaseAreFound() throws Exception {
        Patient patient = Patient.on(server());
        AtomicReference<Long> now = new AtomicReference<>(0L);
        ListenerTimes times = new ListenerTimes(now::get);
        for (int i = 0; i < 100; i++) {
            var event = Patient.event();
            times.beforeDispatch(event);
            now.set(now.get() + Duration.ofSeconds(i < 98 ? 1 : 45).toNanos());
            times.afterDispatch(event, null);
        }
        Finding finding = only(patient.doctor().listenerTimes(times).examine());
        assertThat(finding.code()).isEqualTo("lease-too-short");
        assertThat(finding.seen()).contains("OrderPlaced").contains("the lease is 30.0 s by default");
        assertThat(codes(patient.doctor()
                        .listenerTimes(times)
                        .leaseTime(Duration.ofMinutes(2))
                        .examine()))
                .isEmpty();
    }

    @Test
    void recordedAttemptsTellWhatListenersTake() throws Exception {
        Patient patient = Patient.on(server());
        patient.withAttempts();
        for (int i = 0; i < 25; i++) {
            patient.attempt("e" + i, Duration.ofSeconds(i < 20 ? 1 : 60));
        }
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("lease-too-short");
        assertThat(finding.seen()).contains("60.0 s").contains("failed attempts");
    }

    @Test
    void deadLettersAreCountedByType() throws Exception {
        Patient patient = Patient.on(server());
        patient.dead();
        patient.dead();
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("dead-letters");
        assertThat(finding.seen()).isEqualTo("2 events are DEAD: OrderPlaced 2");
    }

    @Test
    void aParkedEventIsNoFinding() throws Exception {
        Patient patient = Patient.on(server());
        String id = patient.dead();
        try (Connection conn = patient.dataSource().getConnection()) {
            assertThat(patient.store().park(conn, id)).isEqualTo(1);
        }
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void expiredLeasesThatNobodyTakesAreFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.leased("node-7/x");
        assertThat(codes(patient.doctor().examine())).isEmpty();
        long minutes = Duration.ofMinutes(3).toMinutes();
        String id = patient.leased("node-9/gone");
        age(patient, id, "locked_at", Duration.ofMinutes(minutes));
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("leases-expired");
        assertThat(finding.seen()).startsWith("1 due events").contains("node-9/gone");
    }

    @Test
    void anOldBacklogIsFound() throws Exception {
        Patient patient = Patient.on(server());
        String id = patient.pending();
        assertThat(codes(patient.doctor().examine())).isEmpty();
        age(patient, id, "available_at", Duration.ofMinutes(10));
        Finding finding = only(patient.doctor().examine());
        assertThat(finding.code()).isEqualTo("backlog-old");
        assertThat(codes(patient.doctor().appendOnly().examine())).isEmpty();
        assertThat(finding.seen()).startsWith("1 events are due").contains("10 min");
    }

    @Test
    void anEventThatIsBeingDeliveredIsNoBacklog() throws Exception {
        Patient patient = Patient.on(server());
        String id = patient.leased("node-7/x");
        age(patient, id, "available_at", Duration.ofMinutes(10)); // as after a long listener, or many attempts
        assertThat(codes(patient.doctor().examine())).isEmpty();
        age(patient, id, "locked_at", Duration.ofSeconds(45)); // the lease is over, and is 30 s
        assertThat(only(patient.doctor().examine()).code()).isEqualTo("backlog-old");
    }

    @Test
    void aGrowingBacklogIsFound() throws Exception {
        Patient patient = Patient.on(server());
        age(patient, patient.pending(), "available_at", Duration.ofMinutes(1));
        CountDownLatch end = new CountDownLatch(1);
        Thread writer = new Thread(() -> {
            try {
                while (!end.await(50, TimeUnit.MILLISECONDS)) { // so slowly that they are never too many to count
                    patient.pending(10);
                }
            } catch (SQLException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        writer.start();
        try {
            Finding finding =
                    only(patient.doctor().sampleTime(Duration.ofSeconds(2)).examine());
            assertThat(finding.code()).isEqualTo("backlog-growing");
            assertThat(finding.seen()).contains("before there were");
        } finally {
            end.countDown();
            writer.join();
        }
    }

    static void age(Patient patient, String id, String column, Duration age) throws SQLException {
        Instant then = Instant.now().minus(age);
        try (Connection conn = patient.dataSource().getConnection();
                var statement =
                        conn.prepareStatement("UPDATE outbox_event SET " + column + " = ? WHERE event_id = ?")) {
            patient.store().dialect().times().bind(statement, 1, then);
            statement.setString(2, id);
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
    }

    @Test
    void handlersThatNobodyOwnsAreFound() throws Exception {
        Patient patient = Patient.on(server());
        patient.withConsumption();
        patient.consumption("mailer", 2);
        patient.consumption("faxer", 2);
        patient.consumption("telegraph", 1);
        Finding finding = only(patient.doctor().handlers(List.of("mailer")).examine());
        assertThat(finding.code()).isEqualTo("handler-unowned");
        assertThat(finding.seen()).contains("1 events wait for handler 'faxer'");
        assertThat(codes(patient.doctor().examine())).isEmpty();
    }

    @Test
    void handlersMayKeepTheirProgressInAnotherTable() throws Exception {
        Patient patient = Patient.on(server());
        patient.withConsumption("shop_progress");
        patient.consumption("shop_progress", "faxer", 2);
        Diagnosis diagnosis = patient.doctor()
                .consumptionTable("shop_progress")
                .handlers(List.of("mailer"))
                .examine();
        assertThat(only(diagnosis).code()).isEqualTo("handler-unowned");
        assertThat(diagnosis.answer(Question.DEDUPLICATION).evidence()).contains("in shop_progress: faxer");
    }

    @Test
    void anInboxThatHasReceivedMessagesDeduplicates() throws Exception {
        Patient patient = Patient.on(server());
        try (Connection conn = patient.dataSource().getConnection()) {
            patient.store().withTable("inbox_event").schema().apply(conn);
            assertThat(patient.doctor().examine().answer(Question.DEDUPLICATION).verdict())
                    .as("nothing was received yet")
                    .isEqualTo(Verdict.UNKNOWN);
            patient.store().withTable("inbox_event").insertNew(conn, EventEnvelope.ofJson("order.placed", "{}"));
        }
        Answer answer = patient.doctor().examine().answer(Question.DEDUPLICATION);
        assertThat(answer.verdict()).isEqualTo(Verdict.YES);
        assertThat(answer.evidence()).contains("the inbox in inbox_event knows 1 received messages");
    }

    // ---- answers ------------------------------------------------------------------------------------------------

    @Test
    void theWriteProbeProvesTheTransactionAndLeavesNothing() throws Exception {
        Patient patient = Patient.on(server());
        try (Outbox outbox = patient.multiNode().build().start()) {
            Diagnosis diagnosis = patient.doctor()
                    .writeProbe(outbox.writer(), work -> {
                        try (JdbcTransactionManager.Transaction tx =
                                patient.transactions().begin()) {
                            work.run();
                        }
                    })
                    .examine();
            assertThat(diagnosis.answer(Question.SAME_TRANSACTION).verdict())
                    .as(diagnosis.toText())
                    .isEqualTo(Verdict.YES);
            assertThat(rows(patient)).isZero();
        }
    }

    @Test
    void theWriteProbeFindsAWriterOnAConnectionOfItsOwn() throws Exception {
        Patient patient = Patient.on(server());
        try (Connection stray = patient.dataSource().getConnection()) {
            OutboxWriter writer = new OutboxWriter(new StrayTxContext(stray), patient.store());
            Diagnosis diagnosis =
                    patient.doctor().writeProbe(writer, Runnable::run).examine();
            Answer answer = diagnosis.answer(Question.SAME_TRANSACTION);
            assertThat(answer.verdict()).isEqualTo(Verdict.NO);
            assertThat(answer.evidence()).contains("still there after the rollback");
            assertThat(rows(patient)).isZero();
        }
    }

    /** What a wrong set-up does: an event is committed at once, whatever becomes of the business transaction. */
    private record StrayTxContext(Connection connection) implements TxContext {
        @Override
        public boolean isTransactionActive() {
            return true;
        }

        @Override
        public Connection currentConnection() {
            return connection;
        }

        @Override
        public void afterCommit(Runnable callback) {}

        @Override
        public void afterRollback(Runnable callback) {}
    }

    private static long rows(Patient patient) throws SQLException {
        try (Connection conn = patient.dataSource().getConnection();
                var rows = conn.createStatement().executeQuery("SELECT COUNT(*) FROM outbox_event")) {
            rows.next();
            return rows.getLong(1);
        }
    }

    @Test
    void retriesWithoutALimitAreSeen() throws Exception {
        Patient patient = Patient.on(server());
        String id = patient.retrying();
        assertThat(patient.doctor().examine().answer(Question.LIMITED_RETRY).verdict())
                .isEqualTo(Verdict.YES);
        patient.execute("UPDATE outbox_event SET attempts = 5000 WHERE event_id = '" + id + "'");
        Answer answer = patient.doctor().examine().answer(Question.LIMITED_RETRY);
        assertThat(answer.verdict()).isEqualTo(Verdict.NO);
        assertThat(answer.evidence()).contains("5000");
    }

    @Test
    void failuresThatLeaveNoRecordAreSeen() throws Exception {
        Patient patient = Patient.on(server());
        String id = patient.retrying();
        assertThat(patient.doctor().examine().answer(Question.AUDIT).verdict()).isEqualTo(Verdict.NO);
        patient.withAttempts();
        Answer incomplete = patient.doctor().examine().answer(Question.AUDIT);
        assertThat(incomplete.verdict()).isEqualTo(Verdict.NO);
        assertThat(incomplete.evidence()).contains("1 have no record");
        patient.attempt(id, Duration.ofMillis(3));
        assertThat(patient.doctor().examine().answer(Question.AUDIT).verdict()).isEqualTo(Verdict.YES);
    }

    @Test
    void anEventThatIsDeadIsNotSaidToHaveNeverFailed() throws Exception {
        Patient patient = Patient.on(server());
        patient.withAttempts();
        assertThat(patient.doctor().examine().answer(Question.AUDIT).evidence())
                .endsWith("no event in the table has failed");
        String id = patient.dead();
        patient.execute("UPDATE outbox_event SET attempts = 0 WHERE event_id = '" + id + "'");
        Diagnosis diagnosis = patient.doctor().examine();
        assertThat(diagnosis.answer(Question.AUDIT).evidence())
                .contains("1 event is DEAD")
                .doesNotContain("no event in the table has failed");
        assertThat(diagnosis.findings())
                .extracting(Finding::seen)
                .anySatisfy(seen -> assertThat(seen).startsWith("1 event is DEAD: "));
    }

    @Test
    void aNodeThatWasKilledIsNotCountedByItsLastHeartbeat() throws Exception {
        Patient patient = Patient.on(server());
        patient.heartbeat("killed/a", Duration.ofSeconds(90));
        assertThat(patient.doctor().examine().answer(Question.SCALE_OUT).evidence())
                .doesNotContain("killed/a");
        patient.heartbeat("alive/b", Duration.ZERO);
        assertThat(patient.doctor().examine().answer(Question.SCALE_OUT).evidence())
                .contains("1 node: alive/b");
    }

    @Test
    void leasesShowThatConsumersScaleOutAndOneNodeDoesNot() throws Exception {
        Patient patient = Patient.on(server());
        patient.leased("node-1/a");
        patient.leased("node-2/b");
        Answer answer = patient.doctor().examine().answer(Question.SCALE_OUT);
        assertThat(answer.verdict()).isEqualTo(Verdict.YES);
        assertThat(answer.evidence()).contains("2 nodes: node-1/a, node-2/b");
        try (Outbox outbox = patient.singleNode().build()) {
            assertThat(patient.doctor()
                            .outbox(outbox)
                            .examine()
                            .answer(Question.SCALE_OUT)
                            .verdict())
                    .isEqualTo(Verdict.NO);
        }
    }

    @Test
    void whatOnlyTheProcessKnowsIsTakenFromIt() throws Exception {
        Answer redis = new Answer(Question.DEDUPLICATION, Verdict.YES, "a Redis tracker is configured");
        Diagnosis diagnosis = Patient.on(server()).doctor().observed(redis).examine();
        assertThat(diagnosis.answer(Question.DEDUPLICATION)).isEqualTo(redis);
    }

    // ---- runbooks -----------------------------------------------------------------------------------------------

    @Test
    void theQueriesOfTheRunbooksRun() throws Exception {
        Patient patient = Patient.on(server());
        patient.withConsumption();
        patient.pending(3);
        List<String> queries = RunbookQueries.on(server().name());
        assertThat(queries).hasSizeGreaterThan(3);
        try (Connection conn = patient.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            for (String query : queries) {
                assertThat(query).as("runbooks only read").matches("(?s)(SELECT|SHOW) .*");
                assertThat(statement.execute(query)).as(query).isTrue();
            }
        }
    }
}
