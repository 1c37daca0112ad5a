package outbox.control.source;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.control.OutboxTable;
import outbox.node.db.SchemaFile;
import outbox.testing.server.EmbeddedH2;

/** What holds events back is shown with its number and its cause. */
class HoldReaderTest {
    private OutboxTable table;
    private HoldReader reader;

    @BeforeEach
    void createTables() throws SQLException {
        table = OutboxTable.on(EmbeddedH2.shared());
        SchemaFile.ofNodes("h2").apply(table.dataSource());
        table.execute(
                "INSERT INTO outbox_node VALUES ('a', '1', CURRENT_TIMESTAMP, CURRENT_TIMESTAMP, 0, 0, 0, 0, 0, 0,"
                        + " 0, 0)");
        reader = new HoldReader(table.application(), new NodeReader(table.application()));
    }

    private void handler(String name, String types, int paused, int breaker) throws SQLException {
        table.execute("INSERT INTO outbox_node_handler VALUES ('a', '" + name + "', 'handler', '" + types + "', "
                + paused + ", 0, " + breaker + ", 0, 0, 0, 0, '')");
    }

    @Test
    void releasedEventsAreAttributedToTheHandlersOfTheirType() throws SQLException {
        handler("mailer", "OrderPaid, OrderPlaced", 1, 0);
        handler("payments", "PaymentRequested", 0, 1);
        handler("stock", "StockReserved", 0, 0);
        for (int i = 0; i < 3; i++) {
            table.released(event("PaymentRequested", "k").build());
        }
        table.released(event("OrderPaid", "k").build());
        table.released(event("OrderPlaced", "k").build());
        table.released(event("StockReserved", "k").build());
        table.insert(
                event("PaymentRequested", "k").deliverAfter(Duration.ofDays(1)).build());
        table.insert(event("PaymentRequested", "k").build());

        assertThat(reader.holds())
                .containsExactly(
                        new Hold(Hold.Cause.BREAKER, "payments", 3),
                        new Hold(Hold.Cause.PAUSE, "mailer", 2),
                        new Hold(Hold.Cause.LIMIT, null, 1));
    }

    @Test
    void aListenerThatNamesNoTypesMayHoldBackAny() throws SQLException {
        handler("everything", "", 0, 1);
        handler("mailer", "OrderPaid", 1, 0);
        table.released(event("ParcelShipped", "k").build());
        assertThat(reader.holds()).containsExactly(new Hold(Hold.Cause.BREAKER, "everything", 1));
    }

    @Test
    void eventsBehindADeadOrRetryingOneOfTheirKeyAreBlocked() throws SQLException {
        table.ordered();
        reader = new HoldReader(table.application(), new NodeReader(table.application()));
        table.dead(event("A", "dead").build(), "away");
        table.insert(event("B", "dead").build());
        table.insert(event("C", "dead").build());
        table.retrying(event("A", "retrying").build(), "away");
        table.insert(event("B", "retrying").build());
        table.insert(event("A", "free").build());
        String parked = table.dead(event("A", "parked").build(), "away");
        table.execute("UPDATE outbox_event SET locked_by = '" + outbox.spi.LeasingOutboxStore.PARKED
                + "' WHERE event_id = '" + parked + "'");
        table.insert(event("B", "parked").build());

        assertThat(reader.holds()).containsExactly(new Hold(Hold.Cause.ORDER, null, 3, 2));
    }

    @Test
    void whereNothingIsHeldBackThereIsNoCause() throws SQLException {
        handler("mailer", "OrderPaid", 1, 0);
        table.insert(event("OrderPaid", "k").build());
        assertThat(reader.holds()).isEmpty();
    }
}
