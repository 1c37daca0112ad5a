package outbox.control.act;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static outbox.control.OutboxTable.event;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Redelivery;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.audit.AuditAnchor;
import outbox.control.audit.AuditEntry;
import outbox.control.audit.AuditKey;
import outbox.control.audit.AuditLog;
import outbox.control.source.Application;
import outbox.control.source.ErrorGroups;
import outbox.control.source.ErrorSignature;
import outbox.control.source.EventDetail;
import outbox.control.source.EventFilter;
import outbox.control.source.EventReader;
import outbox.control.source.EventState;
import outbox.control.source.EventSummary;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.handler.HandlerState;
import outbox.idempotency.jdbc.IdempotencySchema;
import outbox.idempotency.jdbc.JdbcEventConsumptionTracker;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.payload.PayloadTable;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.node.db.SchemaFile;
import outbox.testing.server.DatabaseServer;

/** Bulk operations, with their tables in the same database as the events. */
@Timeout(180)
abstract class OperationsContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int FAST = 1000;

    private OutboxTable table;
    private AuditLog audit;
    private EventReader reader;
    private Operations operations;

    abstract DatabaseServer server();

    @BeforeEach
    void start() throws SQLException {
        table = OutboxTable.pooledOn(server());
        ControlCenter.schema(table.application().flavor().database()).apply(table.dataSource());
        audit = new AuditLog(table.dataSource(), new AuditKey(new byte[32]), AuditAnchor.NONE, InstantSource.system());
        reader = new EventReader(table.application());
        operations = operations().start();
    }

    private Operations operations() {
        return operations(Operations.DEFAULT_KEPT);
    }

    private Operations operations(Duration kept) {
        OperationTarget target =
                new OperationTarget(table.application(), reader, new ErrorGroups(table.application(), reader));
        return new Operations(table.dataSource(), name -> name.equals("orders") ? target : null, audit, kept);
    }

    @AfterEach
    void stop() {
        operations.close();
        table.close();
    }

    private List<String> dead(int count, String type, String error) throws SQLException {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(table.dead(event(type, "key-" + i % 3).build(), error));
        }
        return ids;
    }

    private static OperationRequest retry(String type) {
        return new OperationRequest(EventAction.RETRY, EventFilter.ALL.withType(type), List.of(), null);
    }

    private Operation begin(OperationRequest request, int perSecond) throws SQLException {
        return operations.start("orders", request, "the other side is back", "anna", perSecond);
    }

    private Operation awaitState(Operation operation, OperationState state) {
        await().atMost(PATIENCE)
                .until(() -> operations.get("orders", operation.id()).state() == state);
        try {
            return operations.get("orders", operation.id());
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    private long count(EventState state) throws SQLException {
        return reader.counts().getOrDefault(state, 0);
    }

    @Test
    void aDryRunCountsAndShowsSomeAndChangesNothing() throws SQLException {
        dead(12, "A", "away");
        dead(3, "B", "away");
        Operations.DryRun dryRun = dryRun(retry("A"));
        assertThat(dryRun.count()).isEqualTo(12);
        assertThat(dryRun.more()).isFalse();
        assertThat(dryRun.sample()).hasSize(10).allMatch(event -> event.type().equals("A"));
        assertThat(count(EventState.DEAD)).isEqualTo(15);
    }

    @Test
    void everyEventOfTheFilterGetsItsResult() throws SQLException {
        List<String> ids = dead(12, "A", "away");
        dead(3, "B", "away");
        Operation done = awaitState(begin(retry("A"), FAST), OperationState.DONE);
        assertThat(done.total()).isEqualTo(12);
        assertThat(done.succeeded()).isEqualTo(12);
        assertThat(count(EventState.NEW)).isEqualTo(12);
        assertThat(count(EventState.DEAD)).isEqualTo(3);
        assertThat(operations.items(done.id(), "ok", null, 100))
                .extracting(Operation.Item::eventId)
                .containsExactlyElementsOf(ids);
        // It is written after the state.
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(audit.page(null, "orders", 1))
                        .extracting(AuditEntry::action, AuditEntry::outcome)
                        .containsExactly(tuple("operation.end", "ok")));
    }

    /** Otherwise the row would be claimed, and its handlers would go on waiting for the time that is stored there. */
    @Test
    void handlersThatHaveNotConsumedAnEventAreDueWithIt() throws SQLException {
        String database = table.application().store().name();
        try (Connection conn = table.dataSource().getConnection()) {
            IdempotencySchema.of(database).apply(conn);
        }
        JdbcEventConsumptionTracker tracker = new JdbcEventConsumptionTracker(
                database, table.dataSource()::getConnection, new ThreadLocalTxContext());
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String id = table.retrying(event("A", "key-" + i).build(), "away");
            ids.add(id);
            tracker.record(List.of(
                    new HandlerOutcome(id, "stock", HandlerState.DONE, 1, Duration.ZERO, null),
                    new HandlerOutcome(id, "mail", HandlerState.RETRY, 3, Duration.ofHours(1), "smtp down"),
                    new HandlerOutcome(id, "crm", HandlerState.DEAD, 5, Duration.ZERO, "gone")));
        }
        String other = table.retrying(event("B", "1").build(), "away");
        tracker.record(
                List.of(new HandlerOutcome(other, "mail", HandlerState.RETRY, 3, Duration.ofHours(1), "smtp down")));

        assertThat(awaitState(begin(retry("A"), FAST), OperationState.DONE).succeeded())
                .isEqualTo(3);

        for (String id : ids) {
            assertThat(tracker.progressOf(id))
                    .allSatisfy(progress -> assertThat(progress.dueIn()).isZero())
                    .extracting(HandlerProgress::handler, HandlerProgress::state, HandlerProgress::attempts)
                    .containsExactlyInAnyOrder(
                            tuple("stock", HandlerState.DONE, 1),
                            tuple("mail", HandlerState.RETRY, 3),
                            tuple("crm", HandlerState.RETRY, 0));
        }
        assertThat(tracker.progressOf(other).get(0).dueIn())
                .as("it is not of the filter")
                .isPositive();
    }

    @Test
    void anOperationTellsWhatBecameOfItsEvents() throws SQLException {
        List<String> ids = dead(5, "A", "away");
        Operation done = awaitState(begin(retry("A"), FAST), OperationState.DONE);
        assertThat(operations.aftermath(done)).isEqualTo(new Operations.Aftermath(0, 0, 5, 0, 0, false));

        table.execute(
                "UPDATE outbox_event SET status = 1 WHERE event_id IN ('" + ids.get(0) + "', '" + ids.get(1) + "')");
        table.execute("UPDATE outbox_event SET status = 3 WHERE event_id = '" + ids.get(2) + "'");
        table.execute("DELETE FROM outbox_event WHERE event_id = '" + ids.get(3) + "'");
        assertThat(operations.aftermath(done)).isEqualTo(new Operations.Aftermath(2, 1, 1, 0, 1, false));

        table.execute("UPDATE outbox_event SET available_at = TIMESTAMP '2199-01-01 00:00:00',"
                + " locked_at = TIMESTAMP '2026-01-01 00:00:00' WHERE event_id = '" + ids.get(4) + "'");
        assertThat(operations.aftermath(done))
                .as("released by a node whose breaker is open")
                .isEqualTo(new Operations.Aftermath(2, 1, 1, 1, 1, false));
    }

    @Test
    void resultsArePagedByTheEventOfTheLastItem() throws SQLException {
        List<String> ids = dead(12, "A", "away");
        Operation done = awaitState(begin(retry("A"), FAST), OperationState.DONE);
        List<String> seen = new ArrayList<>();
        List<Operation.Item> page = operations.items(done.id(), null, null, 5);
        while (!page.isEmpty()) {
            page.forEach(item -> seen.add(item.eventId()));
            page = operations.items(done.id(), null, seen.get(seen.size() - 1), 5);
        }
        assertThat(seen).isEqualTo(ids);
        assertThatThrownBy(() -> operations.items(done.id(), null, "another", 5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no event 'another'");
    }

    @Test
    void whatEndedLongAgoIsForgottenAndNothingElse() throws SQLException {
        dead(12, "A", "away");
        Operation done = awaitState(begin(retry("A"), FAST), OperationState.DONE);
        dead(30, "B", "away"); // at one a second there is time to pause it
        Operation open = begin(retry("B"), 1);
        operations.pause(awaitState(open, OperationState.RUNNING).id());
        operations.close();
        operations = operations(Duration.ZERO).start();
        await().atMost(PATIENCE).until(() -> operations.find("orders", done.id()) == null);
        assertThat(operations.items(done.id(), null, null, 10)).isEmpty();
        assertThat(operations.get("orders", open.id()).state()).isEqualTo(OperationState.PAUSED);
    }

    @Test
    void theOldestComeFirstSoThatAKeyKeepsItsOrder() throws SQLException {
        List<String> ids = dead(40, "A", "away");
        Operation slow = begin(retry("A"), 5);
        await().atMost(PATIENCE).until(() -> operations.get("orders", slow.id()).succeeded() >= 2);
        operations.pause(slow.id());
        Operation paused = awaitState(slow, OperationState.PAUSED);
        List<String> done = operations.items(slow.id(), "ok", null, 100).stream()
                .map(Operation.Item::eventId)
                .toList();
        assertThat(done).isNotEmpty().hasSizeLessThan(40).isEqualTo(ids.subList(0, done.size()));
        assertThat(operations.resume(paused)).isTrue();
        assertThat(operations.cancel(slow.id())).isTrue();
        assertThat(operations.cancel(slow.id())).as("it is at its end").isFalse();
        assertThat(count(EventState.DEAD)).as("the rest is left alone").isPositive();
    }

    @Test
    void itGoesOnAfterARestart() throws SQLException {
        dead(30, "A", "away");
        Operation slow = begin(retry("A"), 3);
        await().atMost(PATIENCE).until(() -> operations.get("orders", slow.id()).succeeded() > 0);
        operations.close();
        assertThat(operations.get("orders", slow.id()).state()).isEqualTo(OperationState.RUNNING);
        table.execute("UPDATE outbox_cc_operation SET per_second = 1000"); // the rest may be fast
        operations = operations().start();
        assertThat(awaitState(slow, OperationState.DONE).succeeded()).isEqualTo(30);
    }

    @Test
    void whatAServerHeldThatDiedIsTakenOver() throws SQLException {
        dead(2, "A", "away");
        operations.close();
        Operation operation = begin(retry("A"), FAST);
        OperationStore store = new OperationStore(table.dataSource());
        assertThat(store.hold(operation.id(), "died", Duration.ofSeconds(-1))).isTrue();
        operations = operations().start();
        assertThat(awaitState(operation, OperationState.DONE).succeeded()).isEqualTo(2);
        assertThat(store.take(operation.id(), "died", 1))
                .as("if it comes back it has nothing to do")
                .isEmpty();
        assertThat(store.settled(operation.id(), "died", new OperationStore.Results()))
                .as("nor to say")
                .isFalse();
    }

    @Test
    void whatAServerHadInHandWhenItWasCutOffHasOneResultAndIsDoneOnce() throws SQLException {
        for (EventAction action : EventAction.OF_ONE_EVENT) {
            List<String> ids = dead(12, action.verb(), "away");
            operations.close();
            Operation operation = begin(new OperationRequest(action, EventFilter.ALL, ids, null), FAST);
            CutOff cut = new CutOff(6); // one to see what database it is, and five events
            Application seen = Application.of("orders", cut.counted(table.dataSource()));
            OperationTarget target = new OperationTarget(seen, reader, new ErrorGroups(seen, reader));
            try (Operations dying =
                    new Operations(cut.uncounted(table.dataSource()), name -> target, audit, Operations.DEFAULT_KEPT)) {
                dying.start();
                await().atMost(PATIENCE).until(cut::happened);
            }
            List<String> inHand = items(operation, "taken");
            assertThat(inHand).as("%s in hand", action).contains(ids.get(5));
            table.execute("UPDATE outbox_cc_operation SET held_by = NULL WHERE id = '" + operation.id() + "'");

            operations = operations().start();
            Operation done = awaitState(operation, OperationState.DONE);
            assertThat(done.refused()).as("%s twice would be refused", action).isZero();
            assertThat(done.succeeded()).as("%s", action).isEqualTo(12);
            assertThat(items(operation, "ok")).containsExactlyElementsOf(ids);
            assertThat(operations.items(operation.id(), "ok", null, 20))
                    .filteredOn(item -> item.detail() != null)
                    .extracting(Operation.Item::eventId)
                    .as("%s, what the dead one did and could not say", action)
                    .containsExactlyElementsOf(
                            ids.subList(0, 5).stream().filter(inHand::contains).toList());
        }
    }

    private List<String> items(Operation operation, String outcome) throws SQLException {
        return operations.items(operation.id(), outcome, null, 200).stream()
                .map(Operation.Item::eventId)
                .toList();
    }

    @Test
    void anEventThatFailedAgainMeanwhileIsTriedOnceMoreAfterATakeover() throws SQLException {
        List<String> ids = dead(2, "A", "away");
        operations.close();
        Operation operation = begin(new OperationRequest(EventAction.RETRY, EventFilter.ALL, ids, null), FAST);
        OperationStore store = new OperationStore(table.dataSource());
        assertThat(store.hold(operation.id(), "died", Duration.ofSeconds(-1))).isTrue();
        assertThat(store.take(operation.id(), "died", 1))
                .hasValueSatisfying(taken -> assertThat(taken.events()).containsExactly(ids.get(0)));
        operations = operations().start();
        assertThat(awaitState(operation, OperationState.DONE).succeeded()).isEqualTo(2);
        assertThat(count(EventState.NEW)).isEqualTo(2);
    }

    private void handlers() throws SQLException {
        SchemaFile.ofNodes(table.application().flavor().database()).apply(table.dataSource());
        table.execute("INSERT INTO outbox_node VALUES ('node-1/a', '1', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP,"
                + " 0, 0, 0, 0, 0, 0, 0, 0)");
        table.execute("INSERT INTO outbox_node_handler VALUES"
                + " ('node-1/a', 'crm', 'handler', 'order.*', 0, 0, 0, 0, 0, 0, 0, 'pause')");
    }

    private static OperationRequest redelivery(String handler, EventFilter filter, String... ids) {
        return new OperationRequest(EventAction.REDELIVER, filter, List.of(ids), null, handler);
    }

    @Test
    void deliveredEventsAreRedeliveredAsCopiesForOneHandler() throws SQLException {
        handlers();
        String id = table.done(event("order.placed", "1")
                .tenantId("acme")
                .header("region", "eu")
                .payloadJson("{\"total\":100}")
                .build());
        table.dead(event("order.placed", "1").build(), "not delivered");
        table.done(event("parcel.sent", "1").build());
        OperationRequest request =
                redelivery("crm", EventFilter.ALL.withType("order.placed").withTenant("acme"));
        assertThat(operations.dryRun("orders", request).count()).isEqualTo(1);
        assertThat(count(EventState.NEW)).as("a dry run writes nothing").isZero();

        Operation done = awaitState(begin(request, FAST), OperationState.DONE);

        assertThat(done.handler()).isEqualTo("crm");
        assertThat(done.succeeded()).isEqualTo(1);
        Operation.Item item = operations.items(done.id(), "ok", null, 10).get(0);
        assertThat(item.eventId()).isEqualTo(id);
        EventDetail copy = reader.event(item.detail());
        assertThat(copy.event().state()).isEqualTo(EventState.NEW);
        assertThat(copy.event().type()).isEqualTo("order.placed");
        assertThat(copy.event().aggregateId()).isEqualTo("1");
        assertThat(copy.event().tenant()).isEqualTo("acme");
        assertThat(copy.headers())
                .containsEntry("region", "eu")
                .containsEntry(Redelivery.OF, id)
                .containsEntry(Redelivery.TO, item.detail() + " crm");
        assertThat(reader.payload(item.detail())).isEqualTo(reader.payload(id));
        assertThat(reader.event(id).event().state())
                .as("the original stays as it is")
                .isEqualTo(EventState.DONE);
        assertThat(operations.aftermath(done)).isEqualTo(new Operations.Aftermath(0, 0, 1, 0, 0, false));
    }

    @Test
    void whatCannotBeRedeliveredIsRefusedWithTheReason() throws SQLException {
        handlers();
        String other = table.done(event("parcel.sent", "1").build());
        String copy = table.done(
                event("order.placed", "1").header(Redelivery.OF, "01ORIGINAL").build());
        String sealed = table.done(event("order.placed", "1")
                .payloadJson("{\"$outbox.sealed\": \"v1.k.w.d\"}")
                .build());
        Operation done =
                awaitState(begin(redelivery("crm", EventFilter.ALL, other, copy, sealed), FAST), OperationState.DONE);
        assertThat(done.succeeded()).isZero();
        assertThat(operations.items(done.id(), "refused", null, 10))
                .extracting(Operation.Item::eventId, Operation.Item::detail)
                .containsExactlyInAnyOrder(
                        tuple(other, "crm does not handle events of type parcel.sent"),
                        tuple(copy, "it is itself a redelivery, of 01ORIGINAL"),
                        tuple(sealed, "its payload is encrypted and bound to its id"));
        assertThat(count(EventState.NEW)).isZero();
    }

    @Test
    void aLargePayloadIsCopiedForTheRedeliveryOrRefusedIfItIsGone() throws SQLException {
        handlers();
        PayloadTable payloads = PayloadTable.of(table.application().store());
        String header = PayloadTable.HEADER;
        String large = table.done(
                event("order.placed", "1").header(header, "3 bytes in x").build());
        String gone = table.done(
                event("order.placed", "1").header(header, "3 bytes in x").build());
        try (Connection conn = table.dataSource().getConnection()) {
            payloads.schema().apply(conn);
            JdbcTemplate.update(
                    conn,
                    "INSERT INTO outbox_event_payload (event_id, part, location) VALUES (?, 0, 'files:1')",
                    statement -> statement.setString(1, large));
        }
        Operation done = awaitState(begin(redelivery("crm", EventFilter.ALL, large, gone), FAST), OperationState.DONE);
        assertThat(operations.items(done.id(), "refused", null, 10))
                .extracting(Operation.Item::eventId, Operation.Item::detail)
                .containsExactly(tuple(gone, "its payload is gone from table outbox_event_payload"));
        try (Connection conn = table.dataSource().getConnection()) {
            assertThat(JdbcTemplate.query(
                            conn,
                            "SELECT event_id FROM outbox_event_payload WHERE location = 'files:1'",
                            JdbcTemplate.Binder.NOTHING,
                            row -> row.getString(1)))
                    .hasSize(2)
                    .contains(large);
        }
    }

    @Test
    void aRedeliveryNeedsAHandlerAndEventsThatAreSelected() throws SQLException {
        handlers();
        EventFilter orders = EventFilter.ALL.withType("order.placed");
        assertThatThrownBy(() -> operations.dryRun("orders", redelivery("nobody", orders)))
                .hasMessage("no node reports a handler 'nobody'; known are crm");
        assertThatThrownBy(() -> begin(redelivery("nobody", orders), FAST)).hasMessageContaining("'nobody'");
        assertThatThrownBy(() -> redelivery(null, orders)).hasMessageContaining("needs the name of a handler");
        assertThatThrownBy(() -> redelivery("crm", EventFilter.ALL.withStates(EventState.DONE)))
                .hasMessageContaining("by time, type, aggregate, tenant or a list of ids");
        assertThatThrownBy(() -> redelivery("crm", orders.withStates(EventState.DEAD)))
                .hasMessageContaining("possible are [DONE]");
        assertThatThrownBy(() -> new OperationRequest(EventAction.RETRY, orders, List.of(), null, "crm"))
                .hasMessageContaining("only a redelivery has a handler");
    }

    @Test
    void whatAServerRedeliveredBeforeItWasCutOffIsNotRedeliveredTwice() throws SQLException {
        handlers();
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            ids.add(table.done(event("order.placed", "key-" + i % 3).build()));
        }
        operations.close();
        Operation operation = begin(redelivery("crm", EventFilter.ALL, ids.toArray(String[]::new)), FAST);
        CutOff cut = new CutOff(10);
        Application seen = Application.of("orders", cut.counted(table.dataSource()));
        OperationTarget target = new OperationTarget(seen, reader, new ErrorGroups(seen, reader));
        try (Operations dying =
                new Operations(cut.uncounted(table.dataSource()), name -> target, audit, Operations.DEFAULT_KEPT)) {
            dying.start();
            await().atMost(PATIENCE).until(cut::happened);
        }
        assertThat(items(operation, "taken")).isNotEmpty();
        assertThat(count(EventState.NEW)).as("some were written").isPositive();
        table.execute("UPDATE outbox_cc_operation SET held_by = NULL WHERE id = '" + operation.id() + "'");

        operations = operations().start();

        assertThat(awaitState(operation, OperationState.DONE).succeeded()).isEqualTo(12);
        assertThat(count(EventState.NEW)).isEqualTo(12);
        assertThat(operations.aftermath(operations.get("orders", operation.id())))
                .isEqualTo(new Operations.Aftermath(0, 0, 12, 0, 0, false));
    }

    @Test
    void twoOperationsOverTheSameEventsOnTwoServersGiveEachEventOneResultEach() throws Exception {
        dead(40, "A", "away");
        try (Operations other = operations().start()) {
            Operation first = begin(delete("A"), FAST);
            Operation second = other.start("orders", delete("A"), "no longer needed", "ben", FAST);
            Operation one = awaitState(first, OperationState.DONE);
            Operation two = awaitState(second, OperationState.DONE);
            for (Operation operation : List.of(one, two)) {
                assertThat(operation.succeeded() + operation.refused()).isEqualTo(operation.total());
            }
            assertThat(one.succeeded() + two.succeeded())
                    .as("each event is deleted once")
                    .isEqualTo(40);
        }
    }

    @Test
    void retryAndDeleteOfTheSameEventsAtOnceEndInOrder() throws Exception {
        dead(40, "A", "away");
        try (Operations other = operations().start()) {
            Operation deleted = other.start("orders", delete("A"), "no longer needed", "ben", FAST);
            Operation retried = begin(retry("A"), FAST);
            Operation retry = awaitState(retried, OperationState.DONE);
            assertThat(retry.succeeded() + retry.refused()).isEqualTo(retry.total());
            assertThat(awaitState(deleted, OperationState.DONE).succeeded())
                    .as("a retried event is deleted as well")
                    .isEqualTo(40);
            assertThat(count(EventState.NEW) + count(EventState.DEAD)).isZero();
        }
    }

    private static OperationRequest delete(String type) {
        return new OperationRequest(EventAction.DELETE, EventFilter.ALL.withType(type), List.of(), null);
    }

    @Test
    void ofTwoOperatorsWhoPauseResumeAndCancelAtOnceTheOneWhoCancelsHasTheLastWord() throws Exception {
        dead(60, "A", "away");
        for (int round = 0; round < 5; round++) {
            Operation operation = awaitState(begin(retry("A"), 1), OperationState.RUNNING);
            List<Boolean> answers = AtOnce.run(
                    () -> operations.pause(operation.id()),
                    () -> operations.resume(operations.get("orders", operation.id())),
                    () -> operations.cancel(operation.id()));
            assertThat(answers.get(2)).as("cancelled").isTrue();
            assertThat(operations.get("orders", operation.id()).state()).isEqualTo(OperationState.CANCELLED);
            assertThat(operations.pause(operation.id())).isFalse();
            assertThat(operations.resume(operations.get("orders", operation.id())))
                    .isFalse();
        }
    }

    @Test
    void whatFailedAfterAllWasWrittenDownTakesNothingNewWhenItIsResumed() throws SQLException {
        dead(3, "A", "away");
        Operation operation = awaitState(begin(retry("A"), 1), OperationState.RUNNING);
        table.execute("UPDATE outbox_cc_operation SET state = 'failed', per_second = 1000 WHERE id = '" + operation.id()
                + "'");
        dead(2, "A", "came later");
        assertThat(operations.resume(operations.get("orders", operation.id()))).isTrue();
        assertThat(operations.get("orders", operation.id()).state())
                .as("it goes on, or has ended already")
                .isIn(OperationState.RUNNING, OperationState.DONE);
        assertThat(awaitState(operation, OperationState.DONE).total()).isEqualTo(3);
    }

    @Test
    void aPauseLosesNoResultOfWhatWasInHand() throws SQLException {
        List<String> ids = dead(2, "A", "away");
        operations.close();
        Operation operation = begin(new OperationRequest(EventAction.RETRY, EventFilter.ALL, ids, null), FAST);
        OperationStore store = new OperationStore(table.dataSource());
        assertThat(store.hold(operation.id(), "me", Duration.ofSeconds(30))).isTrue();
        assertThat(store.take(operation.id(), "me", 1))
                .hasValueSatisfying(taken -> assertThat(taken.events()).containsExactly(ids.get(0)));
        assertThat(operations.pause(operation.id())).isTrue();
        OperationStore.Results results = new OperationStore.Results();
        results.done().add(ids.get(0));
        assertThat(store.settled(operation.id(), "me", results)).isTrue();
        assertThat(store.settled(operation.id(), "me", results)).isTrue();
        assertThat(operations.get("orders", operation.id()).succeeded())
                .as("said twice, counted once")
                .isEqualTo(1);
        assertThat(store.take(operation.id(), "me", 10))
                .as("who paused it was told that it stands still")
                .isEmpty();
        assertThat(operations.resume(operations.get("orders", operation.id()))).isTrue();
        assertThat(store.take(operation.id(), "me", 10))
                .hasValueSatisfying(taken -> assertThat(taken.events()).containsExactly(ids.get(1)));
        assertThat(operations.cancel(operation.id())).isTrue();
        assertThat(store.take(operation.id(), "me", 10)).isEmpty();
    }

    @Test
    void anEventThatIsBeingDeliveredIsRefused() throws SQLException {
        String held = table.beingDelivered(event("A", "1").build());
        String free = table.insert(event("A", "2").build());
        OperationRequest request = new OperationRequest(EventAction.DELETE, EventFilter.ALL, List.of(held, free), null);
        Operation done = awaitState(begin(request, FAST), OperationState.DONE);
        assertThat(done.succeeded()).isEqualTo(1);
        assertThat(done.refused()).isEqualTo(1);
        assertThat(operations.items(done.id(), "refused", null, 10))
                .extracting(Operation.Item::eventId, Operation.Item::detail)
                .containsExactly(tuple(held, "it is in flight on node-1/test"));
        assertThat(reader.event(held)).isNotNull();
        assertThat(reader.event(free)).isNull();
    }

    /** Counting ends after a tenth of a second, in which a machine that is busy with other things may not get to the end. */
    private Operations.DryRun dryRun(OperationRequest request) {
        return await().atMost(PATIENCE).until(() -> operations.dryRun("orders", request), dryRun -> !dryRun.more());
    }

    @Test
    void anErrorGroupIsReplayedAndNoOther() throws SQLException {
        String stack = "\n  at shop.Payments.charge(Payments.java:12)";
        for (int i = 0; i < 4; i++) {
            table.dead(event("A", "1").build(), "java.io.IOException: order " + i + " timed out" + stack);
        }
        table.dead(event("A", "1").build(), "java.io.IOException: order 5 was refused" + stack);
        String group = ErrorSignature.of("java.io.IOException: order 77 timed out" + stack)
                .id();
        OperationRequest request = new OperationRequest(EventAction.RETRY, EventFilter.ALL, List.of(), group);
        assertThat(dryRun(request).count()).isEqualTo(4);
        assertThat(awaitState(begin(request, FAST), OperationState.DONE).succeeded())
                .isEqualTo(4);
        assertThat(count(EventState.DEAD)).isEqualTo(1);
    }

    @Test
    void anErrorGroupHasNoEventThatWasReplayedOrDelivered() throws SQLException {
        String error = "java.io.IOException: away\n  at shop.Payments.charge(Payments.java:12)";
        String replayed = table.dead(event("A", "1").build(), error);
        String delivered = table.dead(event("A", "2").build(), error);
        table.execute("UPDATE outbox_event SET status = 0 WHERE event_id = '" + replayed + "'");
        table.execute("UPDATE outbox_event SET status = 1 WHERE event_id = '" + delivered + "'");
        String dead = table.dead(event("A", "3").build(), error);
        String retrying = table.retrying(event("A", "4").build(), error);
        OperationRequest request = new OperationRequest(
                EventAction.DELETE,
                EventFilter.ALL,
                List.of(),
                ErrorSignature.of(error).id());
        assertThat(dryRun(request).count()).isEqualTo(2);
        assertThat(awaitState(begin(request, FAST), OperationState.DONE).succeeded())
                .isEqualTo(2);
        assertThat(reader.events(List.of(replayed, delivered, dead, retrying)))
                .extracting(EventSummary::id)
                .containsExactly(replayed, delivered);
    }

    @Test
    void whatAlwaysFailsEndsAsFailedHoweverSlowItsPaceIs() throws SQLException {
        List<String> ids = dead(2, "A", "away");
        operations.close();
        Operation operation = begin(new OperationRequest(EventAction.RETRY, EventFilter.ALL, ids, null), 5);
        CutOff cut = new CutOff(1); // to see what database it is
        Application away = Application.of("orders", cut.counted(table.dataSource()));
        OperationTarget target = new OperationTarget(away, reader, new ErrorGroups(away, reader));
        try (Operations failing = new Operations(table.dataSource(), name -> target, audit, Operations.DEFAULT_KEPT)) {
            failing.start();
            assertThat(awaitState(operation, OperationState.FAILED).problem()).contains("cut off");
        }
    }

    @Test
    void contradictionsAreRefusedWithASentence() {
        assertThatThrownBy(() -> new OperationRequest(EventAction.DELETE, EventFilter.ALL, List.of(), null))
                .hasMessageContaining("select the events by");
        assertThatThrownBy(() -> new OperationRequest(
                        EventAction.RETRY, EventFilter.ALL.withStates(EventState.DONE), List.of(), null))
                .hasMessageContaining("cannot retry");
        assertThatThrownBy(() -> operations.start("orders", retry("A"), " ", "anna", 10))
                .hasMessageContaining("reason");
        assertThatThrownBy(() -> operations.start("orders", retry("A"), "why", "anna", 0))
                .hasMessageContaining("perSecond");
    }
}
