package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.EventEnvelope;
import outbox.OutboxWriter;
import outbox.PayloadHeaders;
import outbox.domain.DomainEventPublisher;
import outbox.domain.type.PayloadFormat;
import outbox.domain.type.PayloadSerializer;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** A format besides JSON is a bean. */
class PayloadFormatsTest {
    /** The id of the order as it is. */
    static final class IdAlone implements PayloadFormat {
        @Override
        public String contentType() {
            return "text/x-order";
        }

        @Override
        public boolean supports(Class<?> type) {
            return type == OrderPlaced.class;
        }

        @Override
        public Encoded encode(Object event, String eventType) {
            return new Encoded(((OrderPlaced) event).orderId().getBytes(StandardCharsets.UTF_8), Map.of("x", "1"));
        }

        @Override
        public <T> T decode(EventEnvelope event, Class<T> type) {
            return type.cast(new OrderPlaced(new String(event.payloadBytes(), StandardCharsets.UTF_8)));
        }
    }

    @Test
    void eventsAreWrittenAndReadInTheFormatOfTheBean() {
        app(Mailer.class).withBean(IdAlone.class).run(context -> {
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            inTransaction(
                    context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("42")));
            await().until(() -> context.getBean(Mailer.class).mails.contains("42"));
            assertThat(jdbc.queryForObject("SELECT CAST(payload AS VARCHAR) FROM outbox_event", String.class))
                    .contains("$outbox.bytes", "NDI=");
            assertThat(jdbc.queryForObject("SELECT CAST(headers AS VARCHAR) FROM outbox_event", String.class))
                    .contains("\"contentType\":\"text/x-order\"", "\"x\":\"1\"");

            String type = jdbc.queryForObject("SELECT event_type FROM outbox_event", String.class);
            inTransaction(
                    context,
                    () -> context.getBean(OutboxWriter.class)
                            .write(EventEnvelope.builder(type)
                                    .header(PayloadHeaders.CONTENT_TYPE, "application/cbor")
                                    .payloadBytes(new byte[] {1})
                                    .build()));
            await().until(() ->
                    1 == jdbc.queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 3", Integer.class));
            assertThat(jdbc.queryForObject("SELECT last_error FROM outbox_event WHERE status = 3", String.class))
                    .contains("application/cbor", "text/x-order");
        });
    }

    @Test
    void aFormatThatTheOwnSerializerDoesNotUseFailsTheStart() {
        PayloadSerializer own = new PayloadSerializer() {
            @Override
            public String serialize(Object value) {
                return "{}";
            }

            @Override
            public <T> T deserialize(String json, Class<T> type) {
                throw new IllegalStateException("not needed");
            }
        };
        app(Mailer.class)
                .withBean(IdAlone.class)
                .withBean(PayloadSerializer.class, () -> own)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("PayloadFormat beans")
                        .hasMessageContaining("serializer.with(formats)"));
    }
}
