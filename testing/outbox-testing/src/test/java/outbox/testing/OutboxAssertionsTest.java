package outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.testing.server.EmbeddedH2;

class OutboxAssertionsTest {
    private static final EventEnvelope PLACED = EventEnvelope.builder("order.placed")
            .aggregateType("Order")
            .aggregateId("42")
            .tenantId("acme")
            .header("operator", "ada")
            .payloadJson("{\"cents\": 1999}")
            .build();
    private static final EventEnvelope PAID = EventEnvelope.builder("payment.taken")
            .aggregateType("Order")
            .aggregateId("42")
            .payloadJson("{}")
            .build();

    private final OutboxAssert events = OutboxAssertions.assertThat(List.of(PLACED, PAID));

    @Test
    void whatIsThereIsFound() {
        events.published("order.placed")
                .withKey("42")
                .withAggregate("Order", "42")
                .withTenant("acme")
                .withHeader("operator", "ada")
                .withPayloadContaining("\"cents\":1999")
                .matching("with an id", event -> event.eventId().equals(PLACED.eventId()))
                .isPending()
                .once()
                .and()
                .published("payment.taken")
                .times(1)
                .and()
                .publishedNo("mail.sent")
                .publishedExactly("order.placed", "payment.taken")
                .hasNoDeadEvents();
        assertThat(events.published("order.placed").single().eventId()).isEqualTo(PLACED.eventId());
        OutboxAssertions.assertThat(List.of()).publishedNothing().hasNothingPending();
    }

    @Test
    void whatIsMissingIsSaidAndAllThatWasPublishedIsListed() {
        assertThatThrownBy(() -> events.published("order.placed").withKey("43"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("""
                        expected an event of type order.placed with key 43, but published were
                          1. order.placed  Order/42  NEW  {"cents": 1999}  {operator=ada}
                          2. payment.taken  Order/42  NEW  {}""");
        assertThatThrownBy(() -> OutboxAssertions.assertThat(List.of()).published("order.placed"))
                .hasMessage("expected an event of type order.placed, but nothing was published");
    }

    @Test
    void everyClaimCanFail() {
        PublishedAssert placed = events.published("order.placed");
        List.<Runnable>of(
                        () -> events.published("mail.sent"),
                        () -> events.publishedNo("order.placed"),
                        events::publishedNothing,
                        events::hasNothingPending,
                        () -> events.publishedExactly("payment.taken", "order.placed"),
                        () -> placed.withAggregate("Cart", "42"),
                        () -> placed.withTenant(null),
                        () -> placed.withHeader("operator", "bob"),
                        () -> placed.withPayloadContaining("\"cents\":1998"),
                        () -> placed.matching("that is old", event -> false),
                        placed::isDone,
                        placed::isDead,
                        () -> placed.times(2))
                .forEach(claim -> assertThatThrownBy(claim::run)
                        .isInstanceOf(AssertionError.class)
                        .hasMessageStartingWith("expected ")
                        .hasMessageContaining("1. order.placed"));
    }

    @Test
    void aClassIsFoundByItsNameUnlessItIsAnnotated() {
        assertThatThrownBy(() -> events.published(OutboxAssertionsTest.class))
                .hasMessageContaining("of type " + OutboxAssertionsTest.class.getName());
        events.publishedNo(OutboxAssertionsTest.class);
    }

    @Test
    void aTableIsRead() throws Exception {
        DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("""
                    CREATE TABLE outbox_event (event_id VARCHAR(36), event_type VARCHAR(128), aggregate_type VARCHAR(64),
                      aggregate_id VARCHAR(128), tenant_id VARCHAR(64), payload VARCHAR(1000), headers VARCHAR(1000),
                      status SMALLINT, attempts INT, last_error VARCHAR(1000), locked_by VARCHAR(128), created_at TIMESTAMP)
                    """);
            try (PreparedStatement insert = connection.prepareStatement(
                    "INSERT INTO outbox_event VALUES ('e1', 'order.placed', 'Order', '42', NULL, '{}', '{\"a\":\"b\"}', 3, 4,"
                            + " 'java.io.IOException: down', NULL, CURRENT_TIMESTAMP)")) {
                insert.execute();
            }
        }

        OutboxAssertions.assertThat(dataSource)
                .hasNothingPending()
                .published("order.placed")
                .withHeader("a", "b")
                .isDeadOf("down");
        assertThatThrownBy(() -> OutboxAssertions.assertThat(dataSource).hasNoDeadEvents())
                .hasMessageContaining("DEAD after 4 failed attempt(s)")
                .hasMessageContaining("java.io.IOException: down");
    }
}
