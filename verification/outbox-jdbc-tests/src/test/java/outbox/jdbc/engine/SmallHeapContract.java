package outbox.jdbc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.EventEnvelope;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;

/** A backlog that is larger than the heap of the process that delivers it. */
@Timeout(300)
abstract class SmallHeapContract {
    private static final int EVENTS = 60;
    private static final int HEAP_MEGABYTES = 48;

    /** Where the table is. */
    record Place(String jdbcUrl, String username, String password) {
        Connection connect() throws SQLException {
            return DriverManager.getConnection(jdbcUrl, username, password);
        }
    }

    /** An empty database that another process can reach when this one has no connection open. */
    abstract Place place() throws Exception;

    @Test
    void aBacklogLargerThanTheHeapIsDelivered() throws Exception {
        deliver(false);
    }

    @Test
    void soItIsInOrder() throws Exception {
        deliver(true);
    }

    private void deliver(boolean ordered) throws Exception {
        Place place = place();
        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(place.jdbcUrl());
        try (Connection conn = place.connect()) {
            store.schema().apply(conn);
            if (ordered) {
                store.orderedSchema().apply(conn);
            }
            for (int i = 0; i < EVENTS; i++) {
                store.insertNew(conn, large(i));
            }
        }
        File log = new File("target/" + getClass().getSimpleName() + (ordered ? "-ordered" : "") + ".log");
        Process node = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx" + HEAP_MEGABYTES + "m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SmallHeapNode.class.getName(),
                        place.jdbcUrl(),
                        place.username(),
                        place.password(),
                        Integer.toString(EVENTS),
                        Boolean.toString(ordered))
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        try {
            assertThat(node.waitFor(200, TimeUnit.SECONDS))
                    .as("delivered all in time, see %s", log)
                    .isTrue();
            assertThat(node.exitValue()).as(() -> lastLines(log.toPath())).isZero();
        } finally {
            node.destroyForcibly().waitFor();
        }
        try (Connection conn = place.connect();
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE status = 1")) {
            row.next();
            assertThat(row.getInt(1)).isEqualTo(EVENTS);
        }
        assertThat(Files.readString(log.toPath())).doesNotContain("OutOfMemoryError");
    }

    /** 1 MiB, the largest there is. */
    private static EventEnvelope large(int i) {
        String start = "{\"i\":" + i + ",\"x\":\"";
        int rest = EventEnvelope.MAX_PAYLOAD_BYTES - start.length() - 2;
        return EventEnvelope.builder("Large")
                .aggregateType("A")
                .aggregateId("k" + i % 7)
                .payloadJson(start + String.join("", Collections.nCopies(rest, "x")) + "\"}")
                .build();
    }

    private static String lastLines(Path log) {
        try {
            String text = Files.readString(log);
            return text.substring(Math.max(0, text.length() - 4000));
        } catch (java.io.IOException e) {
            return e.toString();
        }
    }
}
