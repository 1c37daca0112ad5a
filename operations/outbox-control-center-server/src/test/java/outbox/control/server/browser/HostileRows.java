package outbox.control.server.browser;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import outbox.control.source.Application;
import outbox.util.JsonCodec;
import outbox.util.Ulid;

/** Rows whose every text is an attempt to run a script in the browser of whoever looks at them. */
final class HostileRows {
    private final Application application;
    private String richest = "";

    HostileRows(Application application) {
        this.application = application;
    }

    static List<String> payloads() throws IOException {
        try (InputStream in = HostileRows.class.getResourceAsStream("stored-xss.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    /** The event whose page shows all of them. */
    String richest() {
        return richest;
    }

    HostileRows fill() throws SQLException, IOException {
        List<String> payloads = payloads();
        Map<String, String> all = new TreeMap<>();
        payloads.forEach(text -> all.put(text, text));
        String json = JsonCodec.getDefault().toJson(all);
        try (Connection conn = application.dataSource().getConnection()) {
            for (String text : payloads) {
                richest = insert(conn, text, json);
            }
            for (String text : payloads) {
                attempt(conn, richest, text);
            }
        }
        NodeRows nodes = new NodeRows(application.dataSource());
        for (String text : payloads) {
            String name = cut(text, 128);
            nodes.node(name, cut(text, 64), 1);
            nodes.handler(name, name, cut(text, 16), text, 0, 1, "enable,pause,rotate,test");
            nodes.paused(name, text, name);
            nodes.command(cut(text, 32), name, name, name, text);
        }
        return this;
    }

    private static String insert(Connection conn, String text, String json) throws SQLException {
        String id = Ulid.next();
        try (PreparedStatement statement = conn.prepareStatement(
                "INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, headers,"
                        + " status, attempts, available_at, created_at, locked_by, last_error)"
                        + " VALUES (?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, 3, 3, now(), now(), ?, ?)")) {
            statement.setString(1, id);
            statement.setString(2, cut(text, 128));
            statement.setString(3, cut(text, 64));
            statement.setString(4, cut(text, 128));
            statement.setString(5, cut(text, 64));
            statement.setString(6, json);
            statement.setString(7, json);
            statement.setString(8, cut(text, 128));
            statement.setString(9, text + "\n  at " + text + "(" + text + ")");
            statement.executeUpdate();
        }
        return id;
    }

    private static void attempt(Connection conn, String eventId, String text) throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(
                "INSERT INTO outbox_attempt (id, event_id, event_type, attempt, happened_at, duration_micros, node, outcome,"
                        + " error_class, error_text) VALUES (?, ?, ?, 1, now(), 5, ?, 3, ?, ?)")) {
            statement.setString(1, Ulid.next());
            statement.setString(2, eventId);
            statement.setString(3, cut(text, 128));
            statement.setString(4, cut(text, 128));
            statement.setString(5, cut(text, 255));
            statement.setString(6, text + "\n  at " + text + "(" + text + ")");
            statement.executeUpdate();
        }
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }
}
