package outbox.control.act;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.control.OutboxTable.event;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import outbox.control.OutboxTable;
import outbox.control.source.EventDetail;
import outbox.control.source.EventReader;
import outbox.control.source.EventState;
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
        String made = EventClone.write(table.application(), original, NONE);
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
        String made = EventClone.write(
                table.application(), original, new EventClone.Edits("B", null, "2", "acme", "{\"n\": 2}", headers));
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
        String made = EventClone.write(table.application(), original, NONE);
        assertThat(reader.payload(made)).isEqualTo(reader.payload(original));
    }

    @Test
    void whatIsEncryptedIsNotCopiedUnderAnotherId() throws Exception {
        String payload = table.insert(event("A", "1")
                .payloadJson("{ \"$outbox.sealed\": \"v1.k.w.d\"}")
                .build());
        assertThatThrownBy(() -> EventClone.write(table.application(), payload, NONE))
                .isInstanceOf(EventClone.SealedException.class)
                .hasMessageContaining("payload");
        String header = table.insert(
                event("A", "1").header("card", "$outbox.sealed:v1.k.w.d").build());
        assertThatThrownBy(() -> EventClone.write(table.application(), header, NONE))
                .isInstanceOf(EventClone.SealedException.class)
                .hasMessageContaining("header card");
        EventClone.Edits replaced = new EventClone.Edits(null, null, null, null, "{\"n\": 2}", Map.of("card", "none"));
        assertThat(EventClone.write(table.application(), payload, replaced)).isNotNull();
        assertThat(EventClone.write(table.application(), header, replaced)).isNotNull();
    }

    @Test
    void thereIsNoCloneOfNothing() throws Exception {
        assertThat(EventClone.write(table.application(), "none", NONE)).isNull();
    }
}
