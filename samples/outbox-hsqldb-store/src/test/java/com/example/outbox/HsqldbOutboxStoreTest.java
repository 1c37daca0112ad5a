package com.example.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.testing.LeasingOutboxStoreContract;
import outbox.testing.StoredRow;

/** The published contract of stores on HSQLDB. */
class HsqldbOutboxStoreTest extends LeasingOutboxStoreContract {
    private HsqldbTable table;

    @Override
    protected LeasingOutboxStore openStore() throws SQLException {
        table = new HsqldbTable();
        return table.store();
    }

    @AfterEach
    void close() throws SQLException {
        table.close();
    }

    @Override
    protected ConnectionProvider connections() {
        return table.connections();
    }

    @Override
    protected StoredRow read(Connection conn, String eventId) throws SQLException {
        return HsqldbTable.read(conn, eventId);
    }

    @Override
    protected void writeHeaders(Connection conn, String eventId, String json) throws SQLException {
        HsqldbTable.writeHeaders(conn, eventId, json);
    }
}
