package outbox.avro;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.PayloadHeaders;
import outbox.contracts.BreakingChange;
import outbox.contracts.ContractCheck;
import outbox.contracts.ContractCompatibility;
import outbox.contracts.ContractViolationException;
import outbox.contracts.EventContracts;
import outbox.contracts.InvalidContractException;

class AvroContractsTest {
    private static final String CENTS_AS_TEXT = TestOrder.V1.replace("\"long\"", "\"string\"");

    @TempDir
    Path directory;

    private EventContracts contracts(String v1, String v2) throws IOException {
        Files.writeString(directory.resolve("order.placed.v1.avsc"), v1);
        Files.writeString(directory.resolve("order.placed.v2.avsc"), v2);
        return EventContracts.fromDirectory(directory);
    }

    @Test
    void avroDecidesWhatBreaksReaders() throws IOException {
        assertThat(ContractCompatibility.betweenVersions(contracts(TestOrder.V1, TestOrder.V2)))
                .as("a new field with a default")
                .isEmpty();
        List<BreakingChange> changes = ContractCompatibility.betweenVersions(contracts(TestOrder.V1, CENTS_AS_TEXT));
        assertThat(changes).singleElement().satisfies(change -> {
            assertThat(change.path()).isEqualTo("/fields/1/type");
            assertThat(change.change()).contains("TYPE_MISMATCH");
            assertThat(change.isAccepted()).isFalse();
        });
        String marked =
                CENTS_AS_TEXT.replace("\"type\":\"record\"", "\"type\":\"record\",\"x-breaks-readers\":\"text now\"");
        assertThat(ContractCompatibility.betweenVersions(contracts(TestOrder.V1, marked)))
                .singleElement()
                .satisfies(change -> assertThat(change.accepted()).isEqualTo("text now"));
    }

    @Test
    void anotherLanguageBreaksReaders() throws IOException {
        Files.writeString(directory.resolve("order.placed.v1.json"), "{\"type\":\"object\"}");
        Files.writeString(directory.resolve("order.placed.v2.avsc"), TestOrder.V2);
        assertThat(ContractCompatibility.betweenVersions(EventContracts.fromDirectory(directory)))
                .singleElement()
                .satisfies(change -> assertThat(change.change()).contains("no longer JSON"));
    }

    @Test
    void eventsAreCheckedWhenTheyAreWritten() throws IOException {
        ContractCheck check = ContractCheck.rejecting(contracts(TestOrder.V1, TestOrder.V2));
        byte[] payload = AvroFormat.of(Map.of(2, TestOrder.SCHEMA$))
                .encode(TestOrder.of("42", 100), "order.placed")
                .bytes();
        EventEnvelope.Builder event = EventEnvelope.builder("order.placed")
                .header(EventContracts.VERSION_HEADER, "2")
                .header(PayloadHeaders.CONTENT_TYPE, "application/avro");
        check.beforeWrite(List.of(event.payloadBytes(payload).build()));
        assertThatThrownBy(() -> check.beforeWrite(
                        List.of(event.payloadBytes(new byte[] {100}).build())))
                .isInstanceOf(ContractViolationException.class)
                .hasMessageContaining("does not have the schema of its contract");
        assertThatThrownBy(() -> check.beforeWrite(List.of(EventEnvelope.ofJson("order.placed", "{}"))))
                .isInstanceOf(ContractViolationException.class)
                .hasMessageContaining("contentType");
    }

    @Test
    void whatIsNoSchemaIsRefusedAtTheStart() {
        assertThatThrownBy(() -> contracts(TestOrder.V1, "{\"type\":\"recrod\"}"))
                .isInstanceOf(InvalidContractException.class)
                .hasMessageContaining("order.placed v2")
                .hasMessageContaining("not an Avro schema");
    }
}
