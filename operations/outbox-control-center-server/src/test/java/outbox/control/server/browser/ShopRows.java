package outbox.control.server.browser;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import outbox.EventEnvelope;
import outbox.control.source.Application;
import outbox.node.AttemptRecorder;
import outbox.spi.FailedDelivery;
import outbox.spi.Settlement;

/** Rows as an engine leaves them, written by the store itself: delivered, waiting, failing and given up. */
final class ShopRows {
    private static final String NODE = "shop-1/7c2f";
    private static final List<String> LIVING = List.of(NODE, "shop-2/91aa");

    private final Application application;

    ShopRows(Application application) {
        this.application = application;
    }

    ShopRows fill() throws SQLException {
        for (int i = 0; i < 120; i++) {
            String type = i % 3 == 0 ? "OrderPaid" : "OrderPlaced";
            settle(order(type, i).build(), null, null);
        }
        try (AttemptRecorder attempts = AttemptRecorder.on(application.dataSource())) {
            for (int i = 0; i < 14; i++) {
                fail(attempts, order("PaymentRequested", i).tenantId("acme").build(), timeout(i), true);
            }
            for (int i = 0; i < 6; i++) {
                fail(attempts, order("InvoiceIssued", i).build(), rejected(i), true);
            }
            for (int i = 0; i < 5; i++) {
                fail(attempts, order("ParcelShipped", i).build(), timeout(i), false);
            }
        }
        for (int i = 0; i < 8; i++) {
            insert(order("OrderPlaced", 200 + i).build());
        }
        nodes(new NodeRows(application.dataSource()));
        return this;
    }

    private static void nodes(NodeRows rows) throws SQLException {
        for (String node : LIVING) {
            rows.node(node, "1.0.0", 1);
            rows.handler(node, "mailer", "handler", "OrderPaid, OrderPlaced", 0, 0, "pause");
            rows.handler(node, "payments", "handler", "PaymentRequested", 1, 42, "pause");
            rows.handler(node, "webhook-crm", "webhook", "crm.example.com", 0, 3, "enable,pause,rotate,test");
        }
        rows.node("shop-3/0b11", "1.0.0", 400);
        rows.paused("mailer", "their server moves until noon", "anna");
        rows.command("test", "webhook-crm", "anna", NODE, "the endpoint accepted the test event");
    }

    /** Two of the three send their heartbeats. @param delivered how many events one of them delivered since the last */
    void heartbeats(int delivered) throws SQLException {
        NodeRows rows = new NodeRows(application.dataSource());
        for (String node : LIVING) {
            rows.alive(node, node.equals(NODE) ? delivered : 0);
        }
    }

    void fillAFew() throws SQLException {
        for (int i = 0; i < 5; i++) {
            settle(order("InvoicePaid", i).build(), null, null);
        }
    }

    static EventEnvelope.Builder order(String type, int number) {
        return EventEnvelope.builder(type)
                .aggregateType("Order")
                .aggregateId("order-" + (1000 + number))
                .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
                .header("source", "shop")
                .payloadJson("{\"orderId\":\"order-" + (1000 + number)
                        + "\",\"customer\":{\"name\":\"Ada\",\"vip\":true},\"lines\":[{\"sku\":\"TEA-1\",\"quantity\":2,\"price\":4.50},"
                        + "{\"sku\":\"CUP-7\",\"quantity\":1,\"price\":12.00}],\"total\":21.00}");
    }

    private static Exception timeout(int i) {
        return in(
                "com.example.shop.PaymentGateway",
                "request",
                new java.net.http.HttpTimeoutException(
                        "request to payments for order-" + (1000 + i) + " timed out after 2000 ms"));
    }

    private static Exception rejected(int i) {
        return in(
                "com.example.shop.Invoices",
                "issue",
                new IOException("invoice service answered 422 for invoice " + (77000 + i)));
    }

    /** Thrown by a shop and not by a test. */
    private static Exception in(String type, String method, Exception failure) {
        failure.setStackTrace(new StackTraceElement[] {
            new StackTraceElement(type, method, type.substring(type.lastIndexOf('.') + 1) + ".java", 57),
            new StackTraceElement("com.example.shop.OrderHandlers", "on", "OrderHandlers.java", 31),
            new StackTraceElement("jdk.internal.reflect.DirectMethodHandleAccessor", "invoke", null, -1),
            new StackTraceElement("java.lang.Thread", "run", "Thread.java", 840)
        });
        return failure;
    }

    String insert(EventEnvelope event) throws SQLException {
        try (Connection conn = application.dataSource().getConnection()) {
            application.store().insertNew(conn, event);
        }
        return event.eventId();
    }

    void delivered(String type, int number) throws SQLException {
        settle(order(type, number).build(), null, null);
    }

    String dead(EventEnvelope event, String error) throws SQLException {
        return settle(event, new Settlement.Dead(event.eventId(), 1, error), null);
    }

    private void fail(AttemptRecorder attempts, EventEnvelope event, Exception error, boolean dead)
            throws SQLException {
        StringWriter trace = new StringWriter();
        error.printStackTrace(new PrintWriter(trace));
        String text = trace.toString().strip().replace("\t", "  ");
        Settlement retry = new Settlement.Retry(event.eventId(), 1, Duration.ofHours(1), text);
        Settlement last = dead ? new Settlement.Dead(event.eventId(), 1, text) : retry;
        int tries = dead ? 3 : 1;
        for (int attempt = 1; attempt <= tries; attempt++) {
            attempts.failed(new FailedDelivery(
                    event,
                    attempt,
                    NODE,
                    Duration.ofMillis(2000 + 7L * attempt),
                    error,
                    attempt == tries ? last : retry));
        }
        settle(event, last, tries);
    }

    private String settle(EventEnvelope event, Settlement outcome, Integer attempts) throws SQLException {
        Settlement settlement = outcome == null ? new Settlement.Done(event.eventId()) : outcome;
        try (Connection conn = application.dataSource().getConnection()) {
            application.store().insertLeased(conn, List.of(event), NODE);
            application.store().settle(conn, NODE, List.of(settlement));
            if (attempts != null) {
                update(conn, "UPDATE outbox_event SET attempts = ? WHERE event_id = ?", attempts, event.eventId());
            }
        }
        return event.eventId();
    }

    void run(String sql, Object... values) throws SQLException {
        try (Connection conn = application.dataSource().getConnection()) {
            update(conn, sql, values);
        }
    }

    List<String> ids(String where) throws SQLException {
        List<String> ids = new ArrayList<>();
        try (Connection conn = application.dataSource().getConnection();
                PreparedStatement statement = conn.prepareStatement(
                        "SELECT event_id FROM outbox_event WHERE " + where + " ORDER BY event_id");
                var found = statement.executeQuery()) {
            while (found.next()) {
                ids.add(found.getString(1));
            }
        }
        return ids;
    }

    private static void update(Connection conn, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
