package com.example.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import org.hsqldb.jdbc.JDBCDataSource;
import outbox.spi.ConnectionProvider;
import outbox.testing.StoredRow;
import outbox.util.JsonCodec;

/** An HSQLDB of its own, in memory, with an empty outbox table. */
final class HsqldbTable implements AutoCloseable {
    static final String NAME = "outbox_event";

    private final JDBCDataSource dataSource = new JDBCDataSource();
    private final HsqldbOutboxStore store = new HsqldbOutboxStore(NAME, JsonCodec.getDefault());

    HsqldbTable() throws SQLException {
        dataSource.setUrl("jdbc:hsqldb:mem:" + UUID.randomUUID());
        dataSource.setUser("SA");
        try (Connection conn = dataSource.getConnection()) {
            store.schema().apply(conn);
        }
    }

    JDBCDataSource dataSource() {
        return dataSource;
    }

    HsqldbOutboxStore store() {
        return store;
    }

    ConnectionProvider connections() {
        return dataSource::getConnection;
    }

    static StoredRow read(Connection conn, String eventId) throws SQLException {
        return StoredRow.read(conn, NAME, eventId);
    }

    static void writeHeaders(Connection conn, String eventId, String json) throws SQLException {
        try (PreparedStatement statement =
                conn.prepareStatement("UPDATE " + NAME + " SET headers = ? WHERE event_id = ?")) {
            statement.setString(1, json);
            statement.setString(2, eventId);
            statement.executeUpdate();
        }
    }

    @Override
    public void close() throws SQLException {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute("SHUTDOWN");
        }
    }
}
