package outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessageFormatsTest {
    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String payload(InboxMessage message) {
        return new String(message.payload(), StandardCharsets.UTF_8);
    }

    @Test
    void aStructuredCloudEventKeepsItsDataAsItWasWritten() {
        InboxMessage message = MessageFormats.structuredCloudEvent(utf8("""
                        { "specversion" : "1.0", "id":"1", "source":"urn:shop", "type":"order.placed",
                          "subject":"42", "traceparent":"00-ab-cd-01", "count": 7,
                          "data" : { "b": [1, {"x":"}\\"{"}], "a": 1.50 } }
                        """)).build();

        assertThat(message.type()).isEqualTo("order.placed");
        assertThat(message.id()).isEqualTo("urn:shop/1");
        assertThat(message.key()).isEqualTo("42");
        assertThat(payload(message)).isEqualTo("{ \"b\": [1, {\"x\":\"}\\\"{\"}], \"a\": 1.50 }");
        assertThat(message.headers())
                .containsEntry("ce_id", "1")
                .containsEntry("ce_count", "7")
                .containsEntry("traceparent", "00-ab-cd-01");
    }

    @Test
    void dataInBase64IsDecoded() {
        InboxMessage message = MessageFormats.structuredCloudEvent(
                        utf8("{\"id\":\"1\",\"source\":\"s\",\"type\":\"t\",\"data_base64\":\"AP8=\"}"))
                .build();

        assertThat(message.payload()).containsExactly(0, 0xff);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "[]",
                "{",
                "{\"a\"}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{\"a\":1} x",
                "{\"a\":\"open",
                "{\"id\":\"1\",\"type\":\"t\"}",
                "{\"id\":\"1\",\"source\":\" \",\"type\":\"t\"}"
            })
    void whatIsNoCloudEventIsRefused(String body) {
        assertThatThrownBy(() -> MessageFormats.structuredCloudEvent(utf8(body)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(MessageFormats.standardWebhook(utf8(body))).isNull();
    }

    @Test
    void theStandardBodyOfWebhooksHasTypeAndData() {
        InboxMessage.Builder builder = MessageFormats.standardWebhook(
                utf8("{\"type\":\"order.placed\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"data\":{\"a\":[]}}"));

        assertThat(builder).isNotNull();
        InboxMessage message = builder.build();
        assertThat(message.type()).isEqualTo("order.placed");
        assertThat(payload(message)).isEqualTo("{\"a\":[]}");
        assertThat(MessageFormats.standardWebhook(utf8("{\"data\":1}"))).isNull();
        assertThat(MessageFormats.standardWebhook(utf8("{\"type\":1,\"data\":1}")))
                .isNull();
    }
}
