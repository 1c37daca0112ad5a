package outbox.control;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import outbox.EventEnvelope;
import outbox.control.source.Application;
import outbox.spi.Settlement;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.TestDatabase;

/** An outbox table with rows, on a database of its own. */
public final class OutboxTable implements AutoCloseable {
    private static final String OWNER = "node-1/test";

    private final Application application;

    private OutboxTable(Application application) {
        this.application = application;
    }

    public static OutboxTable on(DatabaseServer server) throws SQLException {
        return on(server, "orders");
    }

    public static OutboxTable on(DatabaseServer server, String name) throws SQLException {
        return with(name, server.freshDatabase().dataSource());
    }

    private static OutboxTable with(String name, DataSource dataSource) throws SQLException {
        Application application = Application.of(name, dataSource);
        try (Connection conn = application.dataSource().getConnection()) {
            application.store().schema().apply(conn);
        }
        return new OutboxTable(application);
    }

    /** As an application has it, with a pool: for tests that take connections by the hundred. To be closed. */
    public static OutboxTable pooledOn(DatabaseServer server) throws SQLException {
        TestDatabase database = server.freshDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.username());
        config.setPassword(database.password());
        config.setMinimumIdle(1);
        return with("orders", new HikariDataSource(config));
    }

    public OutboxTable ordered() throws SQLException {
        try (Connection conn = application.dataSource().getConnection()) {
            application.store().orderedSchema().apply(conn);
        }
        return this;
    }

    public Application application() {
        return application;
    }

    public DataSource dataSource() {
        return application.dataSource();
    }

    public static EventEnvelope.Builder event(String type, String aggregateId) {
        return EventEnvelope.builder(type)
                .aggregateType("Order")
                .aggregateId(aggregateId)
                .payloadJson("{\"n\":1}");
    }

    public String insert(EventEnvelope event) throws SQLException {
        try (Connection conn = dataSource().getConnection()) {
            application.store().insertNew(conn, event);
        }
        return event.eventId();
    }

    public void insertAll(List<EventEnvelope> events) throws SQLException {
        try (Connection conn = dataSource().getConnection()) {
            application.store().insertBatch(conn, events);
        }
    }

    public String done(EventEnvelope event) throws SQLException {
        return settled(event, new Settlement.Done(event.eventId()));
    }

    public String dead(EventEnvelope event, String error) throws SQLException {
        return settled(event, new Settlement.Dead(event.eventId(), 1, error));
    }

    /** As by a node whose circuit breaker is open. */
    public String released(EventEnvelope event) throws SQLException {
        return settled(event, new Settlement.Release(event.eventId(), 0, java.time.Duration.ofHours(1)));
    }

    public String retrying(EventEnvelope event, String error) throws SQLException {
        return settled(event, new Settlement.Retry(event.eventId(), 1, java.time.Duration.ofHours(1), error));
    }

    private String settled(EventEnvelope event, Settlement outcome) throws SQLException {
        try (Connection conn = dataSource().getConnection()) {
            application.store().insertLeased(conn, List.of(event), OWNER);
            Set<String> lost = application.store().settle(conn, OWNER, List.of(outcome));
            if (!lost.isEmpty()) {
                throw new IllegalStateException("not settled: " + lost);
            }
        }
        return event.eventId();
    }

    /** Leased, as while a listener runs. */
    public String beingDelivered(EventEnvelope event) throws SQLException {
        try (Connection conn = dataSource().getConnection()) {
            application.store().insertLeased(conn, List.of(event), OWNER);
        }
        return event.eventId();
    }

    public void execute(String sql) throws SQLException {
        try (Connection conn = dataSource().getConnection();
                PreparedStatement statement = conn.prepareStatement(sql)) {
            statement.execute();
        }
    }

    /** Closes the pool, if there is one. */
    @Override
    public void close() {
        if (dataSource() instanceof HikariDataSource pool) {
            pool.close();
        }
    }
}
