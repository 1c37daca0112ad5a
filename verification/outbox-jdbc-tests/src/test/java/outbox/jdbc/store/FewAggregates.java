package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;
import outbox.EventEnvelope;

/** A backlog of few aggregates: three are blocked by a row that another node holds, one is half in flight. */
final class FewAggregates {
    static final int ROWS_OF_BLOCKED = 200;
    static final int IN_FLIGHT = 300;
    static final int FREE = 200;

    /** What a claim may read: each row a few times, but not each row for each other one of its aggregate. */
    static final int MAY_READ = 5 * (3 * ROWS_OF_BLOCKED + IN_FLIGHT + FREE);

    private FewAggregates() {}

    static void write(Connection conn, AbstractJdbcOutboxStore store, String owner) throws SQLException {
        store.orderedSchema().apply(conn);
        for (String key : List.of("b1", "b2", "b3")) {
            store.insertLeased(conn, events(key, 1), "another");
            store.insertBatch(conn, events(key, ROWS_OF_BLOCKED - 1));
        }
        store.insertLeased(conn, events("free", IN_FLIGHT), owner);
        store.insertBatch(conn, events("free", FREE));
    }

    static List<EventEnvelope> events(String key, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> EventEnvelope.builder("Happened")
                        .aggregateType("Order")
                        .aggregateId(key)
                        .payloadJson("{}")
                        .build())
                .toList();
    }
}
