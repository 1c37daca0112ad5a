package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.cdc.CdcFixture.LIMIT;
import static outbox.cdc.CdcFixture.event;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.OutboxSchemaException;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.spi.EventSeal;
import outbox.spi.MetricsExporter;
import outbox.testing.server.DatabaseServer;

/** What a relay does on every database. */
abstract class CdcRelayContract {
    CdcFixture fixture;

    abstract DatabaseServer server();

    @BeforeEach
    void createTables() throws Exception {
        fixture = new CdcFixture(server().freshDatabase());
    }

    @AfterEach
    void close() throws Exception {
        fixture.close();
        fixture.relay().build().forget();
        fixture.database.drop();
    }

    void awaitTaken(int count) {
        await().atMost(LIMIT).untilAsserted(() -> assertThat(fixture.taken).hasSizeGreaterThanOrEqualTo(count));
    }

    CdcRelay running(CdcRelayBuilder builder) {
        CdcRelay relay = fixture.start(builder);
        await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
        return relay;
    }

    @Test
    void anEventComesAsItWasWrittenAndItsRowIsNotTouched() {
        EventEnvelope json = EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("7")
                .tenantId("acme")
                .headers(Map.of("traceparent", "00-ab-cd-01", "quote", "\"ä\""))
                .payloadJson("{\"total\":12.5,\"text\":\"größer \\\"als\\\"\"}")
                .build();
        EventEnvelope bytes = EventEnvelope.builder("Blob")
                .payloadBytes(new byte[] {0, -1, 7})
                .build();
        running(fixture.relay());
        fixture.write(json, bytes);
        awaitTaken(2);

        EventEnvelope first = fixture.taken.get(fixture.taken.get(0).eventType().equals("Blob") ? 1 : 0);
        EventEnvelope second = fixture.taken.get(first == fixture.taken.get(0) ? 1 : 0);
        assertThat(first.eventId()).isEqualTo(json.eventId());
        assertThat(first.eventType()).isEqualTo("OrderPlaced");
        assertThat(first.aggregateType()).isEqualTo("Order");
        assertThat(first.aggregateId()).isEqualTo("7");
        assertThat(first.tenantId()).isEqualTo("acme");
        assertThat(first.headers()).isEqualTo(json.headers());
        assertThat(first.occurredAt()).isEqualTo(json.occurredAt().truncatedTo(ChronoUnit.MICROS));
        assertThat(first.payloadJson()).contains("12.5").contains("größer \\\"als\\\"");
        assertThat(second.payloadBytes()).containsExactly(0, -1, 7);
        assertThat(second.aggregateId()).isNull();
        assertThat(fixture.query("SELECT COUNT(*) FROM outbox_event WHERE status = 0 AND attempts = 0"
                        + " AND locked_by IS NULL"))
                .isEqualTo("2");
    }

    @Test
    void whatWasRolledBackNeverComesAndCommitsComeInTheirOrder() throws Exception {
        running(fixture.relay());
        JdbcTransactionManager.Transaction tx = fixture.transactions.begin();
        fixture.insert(tx.connection(), event("k", 0));
        tx.rollback();
        try (var late = fixture.dataSource.getConnection()) {
            late.setAutoCommit(false);
            fixture.insert(late, event("other", 1));
            fixture.write(event("k", 2));
            late.commit(); // inserted first, committed last
        }
        fixture.write(event("k", 3));
        awaitTaken(3);

        assertThat(fixture.taken.stream().map(CdcFixture::numberOf)).containsExactlyInAnyOrder(1, 2, 3);
        assertThat(fixture.numbersOf("k")).containsExactly(2, 3);
    }

    @Test
    void rowsThatWaitInTheTableComeFirstAndThoseThatAreDoneDoNotCome() {
        fixture.write(event("k", 1), event("k", 2), event("k", 3));
        fixture.execute("UPDATE outbox_event SET status = 1 WHERE payload LIKE '%1%'"
                .replace("payload LIKE", fixture.textOfPayload() + " LIKE"));
        running(fixture.relay());
        fixture.write(event("k", 4));
        awaitTaken(3);

        assertThat(fixture.numbersOf("k")).containsExactly(2, 3, 4);
    }

    @RepeatedTest(3)
    void aRelayThatRunsSeesEveryCommitAlthoughTheRowIsDeletedAtOnce() {
        running(fixture.relay());
        fixture.write(event("k", 1));
        fixture.execute("DELETE FROM outbox_event");
        awaitTaken(1);

        assertThat(fixture.numbersOf("k")).containsExactly(1);
    }

    @RepeatedTest(3)
    void aRelayThatStartsFromNowLeavesTheTableAloneAndSeesEveryCommitFromTheMomentItRuns() {
        fixture.write(event("k", 1));
        running(fixture.relay().startFrom(StartFrom.NOW));
        fixture.write(event("k", 2));
        awaitTaken(1);

        assertThat(fixture.numbersOf("k")).containsExactly(2);
    }

    @Test
    void aRelayThatRanOnceHasAPlaceInTheLogAlthoughItTookNothing() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CdcRelay first = running(fixture.relay(event -> {
                    called.countDown();
                    throw new IllegalStateException("not now");
                })
                .startFrom(StartFrom.NOW));
        fixture.write(event("k", 1));
        fixture.execute("DELETE FROM outbox_event");
        assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
        first.close();
        running(fixture.relay().startFrom(StartFrom.NOW));
        awaitTaken(1);

        assertThat(fixture.numbersOf("k")).containsExactly(1);
    }

    @Test
    void whatHappensToARowAfterItsInsertIsNotAnEvent() {
        running(fixture.relay());
        fixture.write(event("k", 1));
        fixture.execute("UPDATE outbox_event SET status = 3", "DELETE FROM outbox_event");
        fixture.write(event("k", 2));
        awaitTaken(2);

        assertThat(fixture.numbersOf("k")).containsExactly(1, 2);
    }

    @Test
    void aRowDeletedInTheTransactionThatInsertedItIsAnEvent() throws Exception {
        running(fixture.relay());
        try (var conn = fixture.dataSource.getConnection();
                var statement = conn.createStatement()) {
            conn.setAutoCommit(false);
            fixture.insert(conn, event("k", 1));
            statement.execute("DELETE FROM outbox_event");
            conn.commit();
        }
        fixture.write(event("k", 2));
        awaitTaken(2);

        assertThat(fixture.numbersOf("k")).containsExactly(1, 2);
    }

    @Test
    void aRelayGoesOnWhereItsPredecessorStopped() {
        CdcRelay first = running(fixture.relay());
        fixture.write(event("k", 1));
        awaitTaken(1);
        first.close();
        assertThat(first.status().state()).isEqualTo(CdcStatus.State.STOPPED);
        fixture.write(event("k", 2), event("k", 3));
        fixture.execute("DELETE FROM outbox_event"); // it is the log that is read, not the table
        running(fixture.relay());
        awaitTaken(3);

        assertThat(fixture.numbersOf("k")).containsExactly(1, 2, 3);
    }

    @Test
    void whatTheListenerHadNotTakenComesAgainAfterAClose() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CdcRelay first = running(fixture.relay(event -> {
                    if (CdcFixture.numberOf(event) == 2) {
                        called.countDown();
                        throw new IllegalStateException("not now");
                    }
                    fixture.taken.add(event);
                })
                .retryPolicy(attempts -> 60_000));
        fixture.write(event("k", 1), event("k", 2), event("k", 3));
        assertThat(called.await(60, TimeUnit.SECONDS)).isTrue();
        first.close();
        running(fixture.relay());
        await().atMost(LIMIT).until(() -> fixture.numbersOf("k").contains(3));

        assertThat(fixture.numbersOf("k").stream().distinct()).containsExactly(1, 2, 3);
        assertThat(fixture.numbersOf("k"))
                .as("MySQL begins a transaction again")
                .endsWith(2, 3);
    }

    @Test
    void oneOfTwoRelaysReadsAndTheOtherTakesOver() {
        CdcRelay first = running(fixture.relay());
        CdcRelay second = fixture.start(fixture.relay());
        await().atMost(LIMIT).until(() -> second.status().state() == CdcStatus.State.STANDBY);
        fixture.write(event("k", 1));
        awaitTaken(1);
        first.close();
        await().atMost(LIMIT).until(() -> second.status().state() == CdcStatus.State.RUNNING);
        fixture.write(event("k", 2));
        awaitTaken(2);

        assertThat(fixture.numbersOf("k")).containsExactly(1, 2);
    }

    @Test
    void anEventItsListenerDoesNotTakeIsADeadLetterUntilItIsReplayed() throws Exception {
        AtomicBoolean poisonous = new AtomicBoolean(true);
        JdbcDeadLetters dead = new JdbcDeadLetters(fixture.dataSource::getConnection);
        running(fixture.relay(event -> {
                    if (CdcFixture.numberOf(event) == 1 && poisonous.get()) {
                        throw new IllegalStateException("poison");
                    }
                    fixture.taken.add(event);
                })
                .maxAttempts(3)
                .deadLetters(dead));
        EventEnvelope first = event("k", 1);
        fixture.write(first, event("k", 2));
        awaitTaken(1);

        assertThat(fixture.numbersOf("k")).containsExactly(2);
        assertThat(fixture.query("SELECT CONCAT(event_type, ' ', aggregate_id, ' ', attempts) FROM outbox_cdc_dead"
                        + " WHERE last_error LIKE '%poison%'"))
                .isEqualTo("Changed k 3");

        poisonous.set(false);
        assertThat(dead.replay("outbox_event", first.eventId())).isTrue();
        assertThat(dead.replay("outbox_event", first.eventId())).isFalse();
        awaitTaken(2);

        assertThat(fixture.numbersOf("k")).containsExactly(2, 1);
        assertThat(fixture.taken.get(1).eventId()).isEqualTo(first.eventId());
        assertThat(fixture.taken.get(1).occurredAt())
                .isEqualTo(first.occurredAt().truncatedTo(ChronoUnit.MICROS));
        assertThat(fixture.query("SELECT COUNT(*) FROM outbox_cdc_dead")).isEqualTo("0");
    }

    @Test
    void aRowThatCanNotBeReadIsADeadLetterAndWithoutDeadLettersNothingIsSkipped() throws Exception {
        AtomicBoolean readable = new AtomicBoolean();
        EventSeal seal = new EventSeal() {
            @Override
            public EventEnvelope seal(EventEnvelope event) {
                return event.toBuilder().headers(Map.of("sealed", "yes")).build();
            }

            @Override
            public EventEnvelope open(EventEnvelope stored) {
                if (CdcFixture.numberOf(stored) == 2 && !readable.get()) {
                    throw new IllegalStateException("no key");
                }
                return stored.toBuilder().headers(Map.of("opened", "yes")).build();
            }
        };
        fixture.writer(seal);
        CdcRelay blocked = running(fixture.relay().seal(seal));
        fixture.write(event("k", 1), event("k", 2), event("k", 3));
        awaitTaken(1);
        await().atMost(LIMIT).until(() -> blocked.status().lag().toMillis() > 300);
        assertThat(fixture.numbersOf("k")).containsExactly(1);
        blocked.close();

        List<CdcDeadLetter> dead = new CopyOnWriteArrayList<>();
        running(fixture.relay().seal(seal).deadLetters(dead::add));
        await().atMost(LIMIT).until(() -> fixture.numbersOf("k").contains(3));
        assertThat(fixture.numbersOf("k").stream().distinct()) // 1 may come again after the restart
                .containsExactly(1, 3);
        assertThat(fixture.taken.get(0).headers()).isEqualTo(Map.of("opened", "yes"));
        assertThat(dead).singleElement().satisfies(letter -> {
            assertThat(letter.event()).isNull();
            assertThat(letter.row().headersJson()).contains("sealed");
            assertThat(letter.error()).contains("no key");
        });
    }

    @Test
    void aTransactionLargerThanABatchComesWholeAndInOrder() {
        running(fixture.relay().batchSize(16));
        fixture.write(
                IntStream.range(0, 500).mapToObj(i -> event("k" + i % 5, i)).toArray(EventEnvelope[]::new));
        awaitTaken(500);

        assertThat(fixture.taken).hasSize(500);
        for (int key = 0; key < 5; key++) {
            assertThat(fixture.numbersOf("k" + key)).isSorted().hasSize(100);
        }
    }

    @Test
    void lagAndTheLogThatIsKeptAreReported() {
        AtomicLong retained = new AtomicLong(-1);
        AtomicInteger lags = new AtomicInteger();
        CountDownLatch go = new CountDownLatch(1);
        MetricsExporter metrics = new OnlyCdcMetrics(retained, lags);
        CdcRelay relay = running(fixture.relay(event -> {
                    if (CdcFixture.numberOf(event)
                            > 1) { // the first one, so that there is a place to keep the log from
                        go.await();
                    }
                })
                .metrics(metrics)
                .warnAboveRetainedBytes(1));
        fixture.write(event("k", 1));
        fixture.write(event("k", 2));
        await().atMost(LIMIT).until(() -> relay.status().lag().toMillis() > 200);
        fixture.execute(fixture.fillTheLog());
        await().atMost(LIMIT).untilAsserted(() -> {
            assertThat(retained.get()).isGreaterThan(1);
            assertThat(lags.get()).isPositive();
            assertThat(relay.status().retainedBytes()).isGreaterThan(1);
            assertThat(relay.status().warning()).contains("keeps");
        });
        go.countDown();
        await().atMost(LIMIT).until(() -> relay.status().lag().isZero());
    }

    @Test
    void anIdleTableDoesNotHoldBackTheLog() {
        fixture.execute("CREATE TABLE business (n INT)");
        running(fixture.relay());
        String before = fixture.query("SELECT offset_value FROM outbox_cdc_offset");
        fixture.execute("INSERT INTO business VALUES (1)");
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(fixture.query("SELECT offset_value FROM outbox_cdc_offset"))
                        .isNotNull()
                        .isNotEqualTo(before));
        assertThat(fixture.taken).isEmpty();
    }

    /** The log waits for a listener, and somebody who looks from outside could take that for a lost connection. */
    @Test
    void aListenerThatIsAwayForLongerThanSeveralHeartbeatsGetsWhatItHadNotTakenOnceAndInOrder() {
        CountDownLatch back = new CountDownLatch(1);
        CdcRelayBuilder settings = fixture.relay(event -> {
                    if (CdcFixture.numberOf(event) == 7) {
                        back.await();
                    }
                    fixture.taken.add(event);
                })
                .batchSize(5)
                .heartbeat(Duration.ofMillis(100));
        CdcRelay relay = running(settings);
        fixture.write(IntStream.range(0, 100).mapToObj(i -> event("k", i)).toArray(EventEnvelope[]::new));
        await().atMost(LIMIT)
                .until(() ->
                        relay.status().lag().compareTo(settings.silenceLimit().plusSeconds(2)) > 0);
        back.countDown();
        awaitTaken(100);
        fixture.write(event("k", 100));
        awaitTaken(101);

        assertThat(fixture.numbersOf("k"))
                .containsExactlyElementsOf(IntStream.range(0, 101).boxed().toList());
    }

    @Test
    void aLostPlaceInTheLogMeansReadingTheTableAgain() {
        CdcRelay first = running(fixture.relay());
        fixture.write(event("k", 1));
        awaitTaken(1);
        first.close();
        fixture.write(event("k", 2));
        fixture.loseTheLog();
        fixture.write(event("k", 3));
        running(fixture.relay());
        awaitTaken(4);

        assertThat(fixture.numbersOf("k")).containsExactly(1, 1, 2, 3);
    }

    /** It would never know what it has missed. */
    @Test
    void aRelayThatReadsFromNowStopsAtALostPlaceAndSaysWhatToDo() {
        CdcRelay first = running(fixture.relay().startFrom(StartFrom.NOW));
        fixture.write(event("k", 1));
        awaitTaken(1);
        first.close();
        fixture.write(event("k", 2));
        fixture.loseTheLog();
        CdcRelay stuck = fixture.start(fixture.relay().startFrom(StartFrom.NOW));
        await().atMost(LIMIT).until(() -> stuck.status().state() == CdcStatus.State.FAILING);
        await().during(Duration.ofSeconds(1))
                .atMost(LIMIT)
                .until(() -> stuck.status().state() == CdcStatus.State.FAILING);
        assertThat(stuck.status().lastError())
                .contains(fixture.name())
                .contains("call forget()")
                .contains("PENDING_ROWS");
        stuck.close();
        stuck.forget();
        running(fixture.relay());
        awaitTaken(3);

        assertThat(fixture.numbersOf("k")).containsExactly(1, 1, 2);
    }

    @Test
    void aRelayWhoseSessionsAreKilledGoesOnWhereItWas() {
        running(fixture.relay());
        fixture.write(event("k", 1));
        awaitTaken(1);
        fixture.killSessions();
        fixture.write(event("k", 2));
        fixture.execute("DELETE FROM outbox_event"); // it is the log that is read, not the table
        await().atMost(LIMIT).until(() -> fixture.numbersOf("k").contains(2));

        assertThat(fixture.numbersOf("k").stream().distinct()).containsExactly(1, 2);
    }

    @Test
    void aColumnAddedOnTheWayIsNoReasonToStopNowOrAfterTheNextStart() {
        CdcRelay first = running(fixture.relay());
        fixture.write(event("k", 1));
        fixture.execute("ALTER TABLE outbox_event ADD COLUMN note VARCHAR(20) DEFAULT 'none'");
        fixture.write(event("k", 2));
        awaitTaken(2);
        first.close();
        fixture.write(event("k", 3));
        running(fixture.relay());
        awaitTaken(3);

        assertThat(fixture.numbersOf("k")).containsExactly(1, 2, 3);
    }

    @Test
    void aUserAndAPasswordMayHoldAnyLetter() {
        String user = "rea der-\"ö\"";
        String password = "p w'\"$${x}\\#&=?%25@:/;ß ";
        fixture.createUser(user, password);
        try {
            CdcRelay relay = running(CdcRelay.reading(fixture.database.jdbcUrl(), user, password)
                    .name(fixture.name())
                    .listeners((aggregateType, eventType) -> fixture.taken::add));
            fixture.write(event("k", 1));
            awaitTaken(1);
            relay.close();
        } finally {
            fixture.dropUser(user);
        }
    }

    @Test
    void missingTablesAreNamed() {
        fixture.execute("DROP TABLE outbox_cdc_offset");
        assertThatThrownBy(() -> fixture.start(fixture.relay()))
                .isInstanceOf(CdcSetupException.class)
                .hasMessageContaining("outbox_cdc_offset")
                .hasMessageContaining("outbox/cdc/schema/");
        fixture.execute("DROP TABLE outbox_event");
        assertThatThrownBy(() -> fixture.start(fixture.relay()))
                .isInstanceOf(OutboxSchemaException.class)
                .hasMessageContaining("outbox_event does not exist");
        fixture.restoreTables();
    }

    @Test
    void aSettingThatDebeziumRefusesIsReportedAndLeavesNoThreads() {
        long threads = workers();
        CdcRelay relay = fixture.start(fixture.relay().workerCount(7).debezium("offset.flush.timeout.ms", "soon"));
        await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.FAILING);
        await().atMost(LIMIT).until(() -> relay.status().lag().toMillis() > 1500);
        assertThat(workers()).isLessThanOrEqualTo(threads + 7);

        assertThat(relay.status().lastError())
                .contains("offset.flush.timeout.ms")
                .contains("soon");
    }

    private static long workers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-worker-"))
                .count();
    }

    @Test
    void deliveryGoesFromPollersToTheLogAndBackUnderLoadWithoutLossAndInOrder() throws Exception {
        fixture.makeOrdered();
        try (Load load = new Load(fixture, 20)) {
            Outbox pollers = fixture.poller();
            load.awaitMore(200);
            pollers.close();

            CdcRelay relay = running(fixture.relay());
            load.awaitMore(200);
            relay.returnToPollers(LIMIT);

            Outbox pollersAgain = fixture.poller();
            load.awaitMore(200);
            load.stop();
            await().atMost(LIMIT).untilAsserted(() -> assertThat(load.missing()).isZero());
            pollersAgain.close();
            load.assertOrder();
        }
        assertThat(fixture.query("SELECT COUNT(*) FROM outbox_event WHERE status <> 1"))
                .isEqualTo("0");
        assertThat(fixture.query("SELECT COUNT(*) FROM outbox_cdc_offset")).isEqualTo("0");
    }

    /** The event that is left to a poller comes in one batch with the one that holds the relay up. */
    @Test
    void aReturnToPollersThatTakesTooLongLosesNothingAndCanBeRepeated() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        AtomicBoolean stuck = new AtomicBoolean(true);
        CdcRelay relay = running(fixture.relay(event -> {
            if (CdcFixture.numberOf(event) == 0) {
                go.await();
            } else if (stuck.get()) {
                throw new IllegalStateException("not now");
            }
            fixture.taken.add(event);
        }));
        fixture.write(event("first", 0));
        await().atMost(LIMIT).until(() -> !relay.status().lag().isZero());
        fixture.write(event("k", 1));
        FutureTask<Boolean> returnToPollers =
                new FutureTask<>(() -> relay.returnToPollers(Duration.ofSeconds(5)), true);
        Thread operator = new Thread(returnToPollers, "operator");
        operator.start();
        await().atMost(LIMIT)
                .until(() -> "2".equals(fixture.query("SELECT COUNT(*) FROM outbox_event WHERE status = 1"))
                        && operator.getState() == Thread.State.TIMED_WAITING);
        fixture.write(event("k", 2));
        assertThatThrownBy(() -> relay.returnToPollers(LIMIT)).hasMessageContaining("is already returning to pollers");
        go.countDown();
        assertThatThrownBy(returnToPollers::get)
                .hasMessageContaining("has not delivered all committed events")
                .hasMessageContaining("continues at its offset");
        stuck.set(false);
        await().atMost(LIMIT).until(() -> fixture.numbersOf("k").contains(2));
        assertThat(fixture.numbersOf("k").stream().distinct()).containsExactly(1, 2);

        await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
        relay.returnToPollers(LIMIT);
        fixture.write(event("k", 3));
        assertThat(fixture.query("SELECT COUNT(*) FROM outbox_event WHERE status = 0"))
                .isEqualTo("1");
        assertThat(fixture.numbersOf("k")).doesNotContain(3);
    }

    @Test
    void aReturnToPollersDoesNotWaitForRowsThatAreNotItsOwn() throws Exception {
        CdcRelay relay = running(fixture.relay());
        EventEnvelope inUse = event("k", 0);
        fixture.write(inUse);
        fixture.execute("UPDATE outbox_event SET status = 1");
        fixture.write(IntStream.range(1, 31).mapToObj(i -> event("k", i)).toArray(EventEnvelope[]::new));
        try (Connection somebody = fixture.dataSource.getConnection();
                Statement statement = somebody.createStatement()) {
            somebody.setAutoCommit(false);
            statement.execute("SELECT 1 FROM outbox_event WHERE event_id = '" + inUse.eventId() + "' FOR UPDATE");
            relay.returnToPollers(LIMIT);
            somebody.rollback();
        }
        assertThat(fixture.query("SELECT COUNT(*) FROM outbox_event WHERE status = 1"))
                .isEqualTo("31");
    }

    @Test
    void aReturnToPollersThatFailsLeavesNothingToAPoller() {
        CdcRelayBuilder settings = fixture.relay();
        try (CdcRelay relay = new CdcRelay(settings, failing("nudge", settings.logDatabase())).start()) {
            await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
            fixture.write(event("k", 1));
            awaitTaken(1);
            assertThatThrownBy(() -> relay.returnToPollers(LIMIT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("call it again");
            fixture.write(event("k", 2));
            await().atMost(LIMIT).until(() -> fixture.numbersOf("k").contains(2));
        }
    }

    @Test
    void aReturnToPollersWhoseOffsetCannotBeDeletedSaysThatPollersMayStart() {
        CdcRelayBuilder settings = fixture.relay();
        try (CdcRelay relay = new CdcRelay(settings, failing("forget", settings.logDatabase())).start()) {
            await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
            assertThatThrownBy(() -> relay.returnToPollers(LIMIT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has returned to pollers and is closed: start the pollers")
                    .hasMessageContaining("call forget()");
            assertThat(relay.status().state()).isEqualTo(CdcStatus.State.STOPPED);
        }
    }

    private static LogDatabase failing(String call, LogDatabase log) {
        return instead(call, log, result -> {
            throw new SQLException("the session is gone");
        });
    }

    @FunctionalInterface
    private interface Other {
        Object of(Object result) throws SQLException;
    }

    private static LogDatabase instead(String call, LogDatabase log, Other other) {
        return (LogDatabase) Proxy.newProxyInstance(
                LogDatabase.class.getClassLoader(), new Class<?>[] {LogDatabase.class}, (proxy, method, arguments) -> {
                    Object result = method.invoke(log, arguments);
                    return method.getName().equals(call) ? other.of(result) : result;
                });
    }

    /** Nothing comes from the log: neither a heartbeat nor an end. */
    @Test
    @SuppressWarnings("unchecked")
    void aLogThatFellSilentIsReadAgain() {
        AtomicInteger beginnings = new AtomicInteger();
        CdcRelayBuilder settings = fixture.relay();
        LogDatabase silent = instead("prepare", settings.logDatabase(), result -> {
            Map<String, String> connector = new HashMap<>((Map<String, String>) result);
            if (beginnings.incrementAndGet() <= 2) { // one before it starts, and one for the first run
                connector.put("heartbeat.interval.ms", "0");
            }
            return connector;
        });
        try (CdcRelay relay = new CdcRelay(settings, silent).start()) {
            await().atMost(LIMIT).until(() -> relay.status().state() == CdcStatus.State.RUNNING);
            fixture.write(event("k", 1));
            awaitTaken(1);
            await().atMost(LIMIT).until(() -> beginnings.get() > 2);
            fixture.write(event("k", 2));
            awaitTaken(2);
        }

        assertThat(fixture.numbersOf("k")).containsExactly(1, 2);
    }

    /** The server keeps the sessions too: with the lock of the relay, and on PostgreSQL with its slot. */
    @Test
    void aRelayWhoseConnectionsAreForgottenOnTheWayGoesOnWhereItWas() throws Exception {
        int port = DatabaseAddress.of(fixture.database.jdbcUrl(), "", "").port();
        try (ForgetfulLink link = new ForgetfulLink(port)) {
            CdcRelay relay = running(fixture.relayAt(
                    fixture.database.jdbcUrl().replace(":" + port + "/", ":" + link.port() + "/"), fixture.taken::add));
            fixture.write(event("k", 1));
            awaitTaken(1);
            link.forget();
            fixture.write(event("k", 2));
            await().atMost(LIMIT.multipliedBy(2))
                    .until(() -> fixture.numbersOf("k").contains(2));
            relay.close();
        }

        assertThat(fixture.numbersOf("k").stream().distinct()).containsExactly(1, 2);
    }

    /** Debezium gives up a task that is stuck in one, and never ends the session that reads the log. */
    @Test
    void anAnswerToARelaysShortQuestionIsNotAwaitedForEver() {
        DatabaseAddress address = DatabaseAddress.of(
                fixture.database.jdbcUrl(), fixture.database.username(), fixture.database.password());
        try (RelayState state = RelayState.from(RelayState.settings(address, fixture.name()), Duration.ofSeconds(1))) {
            assertThatThrownBy(() -> state.run(conn ->
                            Single.text(conn, fixture.isPostgres() ? "SELECT pg_sleep(60)" : "SELECT SLEEP(60)")))
                    .isInstanceOf(SQLException.class);
        }
    }

    @Test
    void onlyARelayThatReadsCanReturnToPollers() {
        assertThatThrownBy(() -> fixture.relay().build().returnToPollers(LIMIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not read the log now, it is STOPPED");
    }

    @Test
    void aRelayStartsOnceAndForgetsOnlyWhenItIsClosed() {
        CdcRelay relay = running(fixture.relay());
        assertThatThrownBy(relay::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(relay::forget)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("close it first");
        relay.close();
        relay.close();
        relay.forget();
        assertThat(fixture.query("SELECT COUNT(*) FROM outbox_cdc_offset")).isEqualTo("0");
    }
}
