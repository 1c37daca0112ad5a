package outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;

class StoredPayloadTest {
    private static final byte[] ALL_BYTES = new byte[256];

    static {
        for (int i = 0; i < ALL_BYTES.length; i++) {
            ALL_BYTES[i] = (byte) i;
        }
    }

    private static EventEnvelope bytes(byte[] payload) {
        return EventEnvelope.builder("Uploaded").payloadBytes(payload).build();
    }

    private static EventEnvelope read(String stored) {
        return StoredPayload.decode(stored, EventEnvelope.builder("Uploaded")).build();
    }

    @Test
    void jsonTextIsStoredAsItIs() {
        String json = "{ \"a\" : [1, 2] }";
        assertThat(StoredPayload.encode(EventEnvelope.ofJson("T", json))).isEqualTo(json);
        assertThat(read(json).payloadJson()).isEqualTo(json);
    }

    @Test
    void bytesComeBackAsTheyWere() {
        assertThat(read(StoredPayload.encode(bytes(ALL_BYTES))).payloadBytes()).isEqualTo(ALL_BYTES);
        assertThat(read(StoredPayload.encode(bytes(new byte[0]))).payloadBytes())
                .isEmpty();
    }

    @Test
    void bytesSurviveWhatDatabasesDoToWhiteSpaceAndSlashes() {
        String stored = StoredPayload.encode(bytes(ALL_BYTES));
        assertThat(stored).contains("/");
        String rewritten = " { \"$outbox.bytes\" : " + stored.substring(stored.indexOf(':') + 1) + "\n";
        assertThat(read(rewritten).payloadBytes()).isEqualTo(ALL_BYTES);
        assertThat(read(stored.replace("/", "\\/")).payloadBytes()).isEqualTo(ALL_BYTES);
    }

    @Test
    void anObjectThatOnlyContainsTheKeyIsJson() {
        String json = "{\"$outbox.bytes\":\"AAAA\",\"more\":1}";
        assertThat(StoredPayload.encode(EventEnvelope.ofJson("T", json))).isEqualTo(json);
        assertThat(read(json).payloadJson()).isEqualTo(json);
        assertThat(StoredPayload.bytesOf("{\"$outbox.bytes\":7}")).isNull();
    }

    @Test
    void jsonTextInTheFormOfBytesIsRefused() {
        EventEnvelope event = EventEnvelope.ofJson("T", "{\"$outbox.bytes\": \"AAAA\"}");
        assertThatThrownBy(() -> StoredPayload.encode(event))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(event.eventId())
                .hasMessageContaining("$outbox.bytes");
    }

    @Test
    void textInTheFormOfBytesThatIsNotBase64IsAnError() {
        assertThatThrownBy(() -> read("{\"$outbox.bytes\":\"not base64!\"}"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPayloadThatGrewByWhiteSpaceInTheDatabaseIsStillRead() {
        String element = "\"a \\\" b\"";
        int count = (EventEnvelope.MAX_PAYLOAD_BYTES - 2) / (element.length() + 1);
        String written = "[" + (element + ",").repeat(count - 1) + element + "]";
        EventEnvelope event = EventEnvelope.ofJson("T", written);
        String normalised = written.replace(",", ", ");
        assertThat(normalised.length()).isGreaterThan(EventEnvelope.MAX_PAYLOAD_BYTES);
        assertThat(read(normalised).payloadJson()).isEqualTo(event.payloadJson());
    }

    @Test
    void aLargePayloadWithinTheLimitIsPassedOnAsItIs() {
        String large = "[1, \"" + "x".repeat(EventEnvelope.MAX_PAYLOAD_BYTES - 100) + "\"]";
        assertThat(read(large).payloadJson()).isEqualTo(large);
    }
}
