package outbox.control.act;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static outbox.control.OutboxTable.event;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.Redelivery;
import outbox.control.source.Application;
import outbox.control.source.ErrorGroups;
import outbox.control.source.EventDetail;
import outbox.control.source.EventFilter;
import outbox.control.source.EventState;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.payload.PayloadTable;
import outbox.node.db.SchemaFile;

/** Delivered events are delivered again to one handler. */
@Timeout(180)
abstract class RedeliveryContract extends OperationsFixture {
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
}
