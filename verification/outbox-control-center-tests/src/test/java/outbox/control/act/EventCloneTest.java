package outbox.control.act;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.control.OutboxTable.event;

import java.sql.Connection;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.control.OutboxTable;
import outbox.control.source.EventDetail;
import outbox.control.source.EventReader;
import outbox.control.source.EventState;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.payload.ClaimCheck;
import outbox.jdbc.payload.PayloadTable;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.tx.JdbcTransactionManager;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.testing.server.EmbeddedPostgres;

class EventCloneTest {
    private static final EventClone.Edits NONE = new EventClone.Edits(null, null, null, null, null, Map.of());

    private final OutboxTable table;
    private final EventReader reader;

    EventCloneTest() throws Exception {
        table = OutboxTable.on(EmbeddedPostgres.shared());
        reader = new EventReader(table.application());
    }

    @Test
    void aCloneIsANewEventThatNamesTheOld() throws Exception {
        String original = table.dead(event("A", "1").header("source", "shop").build(), "gone");
        String made =
                EventClone.write(table.application(), original, NONE, true).id();
        EventDetail detail = reader.event(made);
        assertThat(made).isNotEqualTo(original);
        assertThat(detail.event().state()).isEqualTo(EventState.NEW);
        assertThat(detail.event().type()).isEqualTo("A");
        assertThat(detail.event().aggregateId()).isEqualTo("1");
        assertThat(detail.headers()).containsEntry("source", "shop").containsEntry(EventClone.ORIGIN_HEADER, original);
        assertThat(reader.payload(made)).isEqualTo(reader.payload(original));
        assertThat(reader.event(original).event().state()).isEqualTo(EventState.DEAD);
    }

    @Test
    void editsReplaceWhatTheyName() throws Exception {
        String original = table.insert(event("A", "1").header("x", "1").build());
        Map<String, String> headers = new HashMap<>();
        headers.put("x", null);
        headers.put("y", "2");
        EventClone.Written written = EventClone.write(
                table.application(),
                original,
                new EventClone.Edits("B", "Order", "2", "acme", "{\"n\": 2}", headers),
                true);
        String made = written.id();
        assertThat(written.changes())
                .extracting(EventClone.Change::field)
                .containsExactlyInAnyOrder("type", "aggregateId", "tenant", "header x", "header y", "payload");
        EventDetail detail = reader.event(made);
        assertThat(detail.event().type()).isEqualTo("B");
        assertThat(detail.event().aggregateId()).isEqualTo("2");
        assertThat(detail.event().tenant()).isEqualTo("acme");
        assertThat(detail.headers()).doesNotContainKey("x").containsEntry("y", "2");
        assertThat(reader.payload(made)).isEqualTo("{\"n\": 2}");
    }

    @Test
    void bytesStayBytes() throws Exception {
        String original = table.insert(event("A", "1")
                .payloadJson(null)
                .payloadBytes(new byte[] {1, 2, 3})
                .build());
        String made =
                EventClone.write(table.application(), original, NONE, true).id();
        assertThat(reader.payload(made)).isEqualTo(reader.payload(original));
    }

    @Test
    void whatIsEncryptedIsNotCopiedUnderAnotherId() throws Exception {
        String payload = table.insert(event("A", "1")
                .payloadJson("{ \"$outbox.sealed\": \"v1.k.w.d\"}")
                .build());
        assertThatThrownBy(() -> EventClone.write(table.application(), payload, NONE, true))
                .isInstanceOf(EventClone.NotClonableException.class)
                .hasMessageContaining("payload");
        String header = table.insert(
                event("A", "1").header("card", "$outbox.sealed:v1.k.w.d").build());
        assertThatThrownBy(() -> EventClone.write(table.application(), header, NONE, true))
                .isInstanceOf(EventClone.NotClonableException.class)
                .hasMessageContaining("header card");
        EventClone.Edits replaced = new EventClone.Edits(null, null, null, null, "{\"n\": 2}", Map.of("card", "none"));
        assertThat(EventClone.write(table.application(), payload, replaced, true))
                .isNotNull();
        assertThat(EventClone.write(table.application(), header, replaced, true))
                .isNotNull();
    }

    @Test
    void thereIsNoCloneOfNothing() throws Exception {
        assertThat(EventClone.write(table.application(), "none", NONE, true)).isNull();
    }

    @Test
    void aPayloadThatMayNotBeReadIsNotSentElsewhere() throws Exception {
        String original = table.insert(event("A", "1").build());
        EventClone.Edits tenant = new EventClone.Edits(null, null, null, "evil", null, Map.of());
        assertThatThrownBy(() -> EventClone.write(table.application(), original, tenant, false))
                .isInstanceOf(EventClone.UnseenException.class)
                .hasMessageContaining("to change tenant")
                .hasMessageContaining("requires the permission payload");
        EventClone.Edits same = new EventClone.Edits("A", null, "1", null, null, Map.of());
        assertThat(EventClone.write(table.application(), original, same, false).changes())
                .as("what is the same is no change")
                .isEmpty();
        EventClone.Edits own = new EventClone.Edits(null, null, null, "acme", "{}", Map.of());
        assertThat(EventClone.write(table.application(), original, own, false)).isNotNull();
    }

    private String large(String payload) throws Exception {
        PayloadTable payloads = PayloadTable.of(table.application().store());
        ThreadLocalTxContext tx = new ThreadLocalTxContext();
        Outbox writer = JdbcOutbox.writerOnly(table.dataSource())
                .transactions(tx)
                .seal(ClaimCheck.builder(table.application().store(), table.dataSource()::getConnection)
                        .transactions(tx)
                        .threshold(10)
                        .build())
                .build();
        try (Connection conn = table.dataSource().getConnection()) {
            payloads.schema().apply(conn);
        }
        try (var transaction = new JdbcTransactionManager(table.dataSource()::getConnection, tx).begin()) {
            String id = writer.writer().write(EventEnvelope.ofJson("A", payload));
            transaction.commit();
            return id;
        }
    }

    private int bodiesOf(String id) throws Exception {
        try (Connection conn = table.dataSource().getConnection()) {
            return JdbcTemplate.query(
                            conn,
                            "SELECT part FROM outbox_event_payload WHERE event_id = '" + id + "'",
                            JdbcTemplate.Binder.NOTHING,
                            row -> row.getInt(1))
                    .size();
        }
    }

    @Test
    void aLargePayloadIsCopiedWithItsEventAndItsSizeIsShown() throws Exception {
        String original = large("{\"large\":\"payload\"}");
        EventDetail detail = reader.event(original);
        assertThat(detail.payloadBytes()).isEqualTo("{\"large\":\"payload\"}".length());
        assertThat(detail.payloadPlace()).isEqualTo("outbox_event_payload");

        String copy =
                EventClone.write(table.application(), original, NONE, true).id();
        assertThat(bodiesOf(copy)).isEqualTo(1);

        EventClone.Edits edited = new EventClone.Edits(null, null, null, null, "{}", Map.of());
        String replaced =
                EventClone.write(table.application(), original, edited, true).id();
        assertThat(bodiesOf(replaced)).isZero();
        assertThat(reader.event(replaced).payloadPlace()).isNull();
    }

    @Test
    void aLargePayloadThatIsGoneIsNotCloned() throws Exception {
        String original = large("{\"large\":\"payload\"}");
        try (Connection conn = table.dataSource().getConnection()) {
            JdbcTemplate.update(conn, "DELETE FROM outbox_event_payload", JdbcTemplate.Binder.NOTHING);
        }
        assertThatThrownBy(() -> EventClone.write(table.application(), original, NONE, true))
                .isInstanceOf(EventClone.NotClonableException.class)
                .hasMessageContaining("its payload is gone");
        EventClone.Edits marked = new EventClone.Edits(
                null, null, null, null, null, Map.of(PayloadTable.HEADER, "1 bytes in outbox_event_payload"));
        String plain = table.insert(event("A", "1").build());
        assertThatThrownBy(() -> EventClone.write(table.application(), plain, marked, true))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(PayloadTable.HEADER);
    }
}
