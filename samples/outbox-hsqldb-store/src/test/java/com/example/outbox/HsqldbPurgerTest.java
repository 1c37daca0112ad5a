package com.example.outbox;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import outbox.spi.ConnectionProvider;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.RetentionPurger;
import outbox.testing.RetentionPurgerContract;
import outbox.testing.StoredRow;

/** The published contract of purgers on HSQLDB. */
class HsqldbPurgerTest extends RetentionPurgerContract {
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
    protected RetentionPurger purger() {
        return table.store().purger();
    }

    @Override
    protected ConnectionProvider connections() {
        return table.connections();
    }

    @Override
    protected StoredRow read(Connection conn, String eventId) throws SQLException {
        return HsqldbTable.read(conn, eventId);
    }
}
