package outbox.jdbc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.jdbc.engine.SmallHeapContract.Place;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;

/** One event ends its process by {@code Runtime.halt}, and real processes are started one after the other. */
@Timeout(600)
abstract class ProcessDeathContract {
    private static final int GOOD = 30;

    /** An empty database that another process can reach. */
    abstract Place place() throws Exception;

    @Test
    void anEventThatEndsItsProcessIsDeadAndTheOthersAreDelivered() throws Exception {
        Place place = place();
        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(place.jdbcUrl());
        EventEnvelope killer = event("Kills");
        try (Connection conn = place.connect()) {
            store.schema().apply(conn);
            for (int i = 0; i < GOOD; i++) {
                store.insertNew(conn, i == GOOD / 2 ? killer : event("Good"));
            }
            store.insertNew(conn, event("Good"));
        }
        List<Integer> exits = new ArrayList<>();
        while (exits.size() < 10 && (exits.isEmpty() || exits.get(exits.size() - 1) != 0)) {
            exits.add(life(place, exits.size() + 1));
        }

        assertThat(exits)
                .as("once before anybody knew, then as often as it may, and one that lives")
                .containsExactly(
                        DyingNode.HALTED, DyingNode.HALTED, DyingNode.HALTED, DyingNode.HALTED, DyingNode.ALL_DONE);
        assertThat(row(place, "event_id = '" + killer.eventId() + "'"))
                .startsWith("3 " + DyingNode.MAX_ATTEMPTS + " ")
                .contains("ProcessDiedException");
        assertThat(row(place, "status <> 1 AND event_id <> '" + killer.eventId() + "'"))
                .as("not delivered")
                .isEmpty();
    }

    private int life(Place place, int number) throws Exception {
        File log = new File("target/" + getClass().getSimpleName() + "-" + number + ".log");
        Process node = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DyingNode.class.getName(),
                        place.jdbcUrl(),
                        place.username(),
                        place.password())
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        try {
            assertThat(node.waitFor(200, TimeUnit.SECONDS))
                    .as("ended in time, see %s", log)
                    .isTrue();
            return node.exitValue();
        } finally {
            node.destroyForcibly().waitFor();
        }
    }

    private static EventEnvelope event(String type) {
        return EventEnvelope.builder(type).aggregateType("A").payloadJson("{}").build();
    }

    /** Status, attempts and error of the first such row; empty if there is none. */
    private static String row(Place place, String where) throws SQLException {
        try (Connection conn = place.connect();
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT status, attempts, last_error FROM outbox_event WHERE " + where)) {
            return row.next() ? row.getInt(1) + " " + row.getInt(2) + " " + row.getString(3) : "";
        }
    }
}
