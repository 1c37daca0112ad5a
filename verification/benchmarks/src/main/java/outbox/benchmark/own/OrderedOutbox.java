package outbox.benchmark.own;

import java.sql.Connection;
import java.sql.SQLException;
import outbox.OutboxBuilder;
import outbox.benchmark.BenchDatabase;
import outbox.jdbc.store.JdbcOutboxStores;

/** This project in its ordered mode, over {@value #KEYS} aggregates. */
public final class OrderedOutbox extends OwnOutbox {
    static final int KEYS = 1000;

    public OrderedOutbox() {
        super(
                "ordered",
                ", ordered, " + KEYS + " keys",
                "As outbox, order per aggregate, " + KEYS + " aggregates.",
                KEYS,
                OutboxBuilder::ordered);
    }

    @Override
    public void createTables(BenchDatabase database) throws SQLException {
        super.createTables(database);
        try (Connection connection = database.connect()) {
            JdbcOutboxStores.detect(database.jdbcUrl()).orderedSchema().apply(connection);
        }
    }
}
