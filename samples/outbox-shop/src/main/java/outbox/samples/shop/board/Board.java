package outbox.samples.shop.board;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.EventLookup;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.model.EventStatus;
import outbox.samples.shop.board.BoardView.DeadLetter;
import outbox.samples.shop.board.BoardView.Line;
import outbox.samples.shop.board.BoardView.Step;
import outbox.samples.shop.orders.OrderService;
import outbox.samples.shop.orders.OrderView;
import outbox.samples.shop.payments.CardCompany;
import tools.jackson.databind.json.JsonMapper;

/** Reads the board from the tables, so it is the same on every node and after a restart. */
@Component
class Board {
    private static final int ORDERS = 120;
    /** Three of each order, and as many of older ones that came in between. */
    private static final int EVENTS = 6 * ORDERS;

    private static final int DEAD = 50;
    private static final int COUNT_TO = 100_000;

    private final DataSource dataSource;
    private final AbstractJdbcOutboxStore store;
    private final OrderService orders;
    private final CardCompany cards;
    private final PickUps pickUps;
    private final ControlCenterLink controlCenter;

    Board(
            DataSource dataSource,
            OrderService orders,
            CardCompany cards,
            PickUps pickUps,
            ControlCenterLink controlCenter) {
        this.dataSource = dataSource;
        this.store = JdbcOutboxStores.detect(dataSource);
        this.orders = orders;
        this.cards = cards;
        this.pickUps = pickUps;
        this.controlCenter = controlCenter;
    }

    BoardView view() {
        EventLookup lookup = store.lookup();
        List<EventLookup.Row> dead;
        Map<String, EventLookup.Row> rows = new LinkedHashMap<>();
        Map<String, Integer> counts = new LinkedHashMap<>();
        try (Connection connection = dataSource.getConnection()) {
            for (EventStatus status : EventStatus.values()) {
                counts.put(status.name(), lookup.count(connection, status, COUNT_TO));
            }
            dead = lookup.find(connection, EventStatus.DEAD, null, DEAD);
            // A dead or failing event may be older than the newest rows.
            add(rows, dead);
            add(rows, lookup.find(connection, EventStatus.RETRY, null, ORDERS));
            add(rows, lookup.find(connection, null, null, EVENTS));
        } catch (SQLException e) {
            throw new IllegalStateException("the board cannot be read: " + e.getMessage(), e);
        }
        return new BoardView(
                store.name(),
                cards.isBankOut(),
                controlCenter.path(),
                counts,
                pickUps.median(rows.keySet()),
                lines(rows),
                dead.stream()
                        .sorted(Comparator.comparing(EventLookup.Row::eventId).reversed())
                        .map(Board::deadLetter)
                        .toList());
    }

    private static void add(Map<String, EventLookup.Row> rows, List<EventLookup.Row> more) {
        more.forEach(row -> rows.put(row.eventId(), row));
    }

    private List<Line> lines(Map<String, EventLookup.Row> rows) {
        Map<String, Map<String, Step>> byOrder = new HashMap<>();
        for (EventLookup.Row row : rows.values()) {
            if (row.aggregateId() != null && row.aggregateType() != null) {
                byOrder.computeIfAbsent(row.aggregateId(), order -> new HashMap<>())
                        .put(row.aggregateType(), step(row));
            }
        }
        List<Line> lines = new ArrayList<>();
        for (OrderView order : orders.latest(ORDERS)) {
            Map<String, Step> steps = byOrder.getOrDefault(order.id(), Map.of());
            lines.add(new Line(order, steps.get("Order"), steps.get("Payment"), steps.get("Mail")));
        }
        return lines;
    }

    private Step step(EventLookup.Row row) {
        Long total = row.doneAt() == null || row.status() != EventStatus.DONE
                ? null
                : Math.max(0, Duration.between(row.createdAt(), row.doneAt()).toMillis());
        return new Step(
                row.eventId(),
                row.eventType(),
                row.status().name(),
                row.attempts(),
                pickUps.millis(row.eventId()),
                total,
                row.status() == EventStatus.DONE ? null : reason(row));
    }

    private static DeadLetter deadLetter(EventLookup.Row row) {
        return new DeadLetter(
                row.eventId(),
                row.eventType(),
                String.valueOf(row.aggregateId()),
                row.attempts(),
                reason(row),
                badAddress(row));
    }

    /** The first line of the stack trace, without the classes of the exceptions. */
    private static String reason(EventLookup.Row row) {
        String error = Objects.requireNonNullElse(row.lastError(), "");
        return error.lines().findFirst().orElse("").replaceAll("[\\w.$]+(Exception|Error): ", "");
    }

    /** The address of an order whose mail cannot be sent. */
    private static @Nullable String badAddress(EventLookup.Row row) {
        return "Payment".equals(row.aggregateType())
                ? JsonMapper.shared().readTree(row.payloadJson()).path("email").asString("")
                : null;
    }
}
