package outbox.idempotency.jdbc;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.domain.handler.EventConsumptionTracker;
import outbox.domain.handler.HandlerOutcome;
import outbox.domain.handler.HandlerProgress;
import outbox.domain.handler.HandlerState;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.TableNames;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.TxContext;
import outbox.spi.UnitOfWork;
import outbox.util.StoredError;

/**
 * Stores handler progress in the table {@value #DEFAULT_TABLE}, using the database's clock. In the same database as the
 * business data it supports transactional handlers. Thread-safe.
 */
public final class JdbcEventConsumptionTracker implements EventConsumptionTracker {
    public static final String DEFAULT_TABLE = "outbox_consumption";

    private static final Logger LOG = System.getLogger(JdbcEventConsumptionTracker.class.getName());

    private static final int DONE = 1;
    private static final int RETRY = 2;
    private static final int DEAD = 3;

    private static final String PROGRESS = """
            SELECT handler, state, attempts, next_attempt_at, last_error, updated_at, {now}
            FROM {table} WHERE event_id = ? ORDER BY handler
            """;
    private static final String PROGRESS_OF_SEVERAL = """
            SELECT handler, state, attempts, next_attempt_at, last_error, updated_at, {now}, event_id
            FROM {table} WHERE event_id IN ({ids}) ORDER BY handler
            """;
    /** Parameters of one statement; every database takes more. */
    private static final int MOST_IDS = 500;

    private static final String INSERT = """
            INSERT INTO {table} (event_id, handler, state, attempts, last_error, next_attempt_at, updated_at)
            VALUES (?, ?, ?, ?, ?, {now+?}, {now}) {unless exists}
            """;
    private static final String UPDATE = """
            UPDATE {table} SET state = ?, attempts = ?, last_error = COALESCE(?, last_error),
              next_attempt_at = {now+?}, updated_at = {now}
            WHERE event_id = ? AND handler = ? AND state <> 1
            """;
    private static final String CONSUME = """
            UPDATE {table} SET state = 1, attempts = attempts + 1, updated_at = {now}
            WHERE event_id = ? AND handler = ? AND state <> 1
            """;
    /** Attempts first: MySQL evaluates assignments from left to right, with the new values. */
    private static final String RETRY_NOW = """
            UPDATE {table} SET attempts = CASE WHEN state = 3 THEN 0 ELSE attempts END, state = 2,
              next_attempt_at = {now}, updated_at = {now}
            WHERE event_id = ? AND state IN (2, 3)
            """;

    private static final String RESET = "DELETE FROM {table} WHERE event_id = ? AND handler = ?";
    private static final String OPEN_HANDLERS = "SELECT DISTINCT handler FROM {table} WHERE state IN (2, 3)";
    private static final String VERIFY = """
            SELECT event_id, handler, state, attempts, next_attempt_at, last_error, updated_at
            FROM {table} WHERE 1 = 0
            """;

    private final SqlDialect dialect;
    private final ConnectionProvider connections;
    private final TxContext txContext;
    private final String table;
    private final String progressSql;
    private final String progressOfSeveralSql;
    private final String insertSql;
    private final String updateSql;
    private final String consumeSql;
    private final String retryNowSql;
    private final String resetSql;
    private final String openHandlersSql;
    private final String verifySql;

    /** On the default table. */
    public JdbcEventConsumptionTracker(String database, ConnectionProvider connections, TxContext txContext) {
        this(database, connections, txContext, DEFAULT_TABLE);
    }

    /**
     * @param database {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}: the name of the outbox's store
     * @param txContext the transactions of transactional handlers
     */
    public JdbcEventConsumptionTracker(
            String database, ConnectionProvider connections, TxContext txContext, String tableName) {
        this.dialect = Dialects.of(database);
        this.connections = Objects.requireNonNull(connections, "connections");
        this.txContext = Objects.requireNonNull(txContext, "txContext");
        this.table = TableNames.validate(tableName);
        this.progressSql = dialect.render(PROGRESS, table);
        this.progressOfSeveralSql = dialect.render(PROGRESS_OF_SEVERAL, table);
        this.insertSql = dialect.render(INSERT, table);
        this.updateSql = dialect.render(UPDATE, table);
        this.consumeSql = dialect.render(CONSUME, table);
        this.retryNowSql = dialect.render(RETRY_NOW, table);
        this.resetSql = dialect.render(RESET, table);
        this.openHandlersSql = dialect.render(OPEN_HANDLERS, table);
        this.verifySql = dialect.render(VERIFY, table);
    }

    /** Without a separate transaction on auto-commit connections: one round trip. */
    @Override
    public List<HandlerProgress> progressOf(String eventId) {
        try (Connection conn = connections.getConnection()) {
            List<HandlerProgress> progress = JdbcTemplate.query(
                    conn, progressSql, statement -> statement.setString(1, eventId), row -> progress(eventId, row));
            if (!conn.getAutoCommit()) {
                conn.rollback();
            }
            return progress;
        } catch (SQLException e) {
            throw TableErrors.failed("reading progress", table, eventId, e);
        }
    }

    @Override
    public Map<String, List<HandlerProgress>> progressOf(Collection<String> eventIds) {
        List<String> ids = List.copyOf(eventIds);
        List<HandlerProgress> progress = new ArrayList<>();
        try (Connection conn = connections.getConnection()) {
            for (int from = 0; from < ids.size(); from += MOST_IDS) {
                progress.addAll(read(conn, ids.subList(from, Math.min(ids.size(), from + MOST_IDS))));
            }
            if (!conn.getAutoCommit()) {
                conn.rollback();
            }
        } catch (SQLException e) {
            throw TableErrors.failed("reading progress", table, ids.size() + " events", e);
        }
        return progress.stream().collect(Collectors.groupingBy(HandlerProgress::eventId));
    }

    /** The number of parameters is a power of two, so that there are few statements to prepare; the last id is repeated. */
    private List<HandlerProgress> read(Connection conn, List<String> ids) throws SQLException {
        int parameters = ids.size() == 1 ? 1 : Integer.highestOneBit(ids.size() - 1) * 2;
        return JdbcTemplate.query(
                conn,
                progressOfSeveralSql.replace("{ids}", String.join(", ", Collections.nCopies(parameters, "?"))),
                statement -> {
                    for (int i = 0; i < parameters; i++) {
                        statement.setString(i + 1, ids.get(Math.min(i, ids.size() - 1)));
                    }
                },
                row -> progress(row.getString(8), row));
    }

    private HandlerProgress progress(String eventId, ResultSet row) throws SQLException {
        Instant nextAttempt = dialect.times().read(row, 4);
        Instant now = dialect.times().read(row, 7);
        return new HandlerProgress(
                eventId,
                row.getString(1),
                state(row.getInt(2)),
                row.getInt(3),
                Duration.between(now, nextAttempt),
                row.getString(5),
                dialect.times().read(row, 6));
    }

    @Override
    public void record(Collection<HandlerOutcome> outcomes) {
        if (outcomes.isEmpty()) {
            return;
        }
        HandlerOutcome first = outcomes.iterator().next();
        try {
            UnitOfWork.run(connections, conn -> recordTogether(conn, outcomes));
        } catch (SQLException e) {
            if (dialect.isDuplicateKey(e)) {
                own("record of progress", first.eventId(), conn -> recordOneByOne(conn, outcomes));
            } else if (outcomes.size() > 1 || first.error() == null || !recordWithoutText(first, e)) {
                throw TableErrors.failed("record of progress", table, first.eventId(), e);
            }
        }
    }

    /**
     * The database may refuse the text alone: it lacks its alphabet, or the column is shorter. Without it the attempt is
     * counted all the same; otherwise the handler would be called again and again.
     */
    private boolean recordWithoutText(HandlerOutcome outcome, SQLException refusal) {
        HandlerOutcome bare = new HandlerOutcome(
                outcome.eventId(), outcome.handler(), outcome.state(), outcome.attempts(), outcome.delay(), null);
        try {
            UnitOfWork.run(connections, conn -> recordOneByOne(conn, List.of(bare)));
        } catch (SQLException e) {
            refusal.addSuppressed(e);
            return false;
        }
        LOG.log(
                Level.WARNING,
                "the error of handler '" + outcome.handler() + "' at event " + outcome.eventId() + " is stored without"
                        + " its text, which table " + table + " refuses; the attempt counts",
                refusal);
        return true;
    }

    /** Most outcomes are the first of their handler: they go in one batch. */
    private int recordTogether(Connection conn, Collection<HandlerOutcome> outcomes) throws SQLException {
        List<HandlerOutcome> firsts =
                outcomes.stream().filter(outcome -> outcome.attempts() <= 1).toList();
        List<HandlerOutcome> others =
                outcomes.stream().filter(outcome -> outcome.attempts() > 1).toList();
        if (firsts.size() > 1) {
            insertAll(conn, firsts);
        } else {
            recordOneByOne(conn, firsts);
        }
        return recordOneByOne(conn, others);
    }

    /** Drivers that rewrite a batch as one statement do not say which rows existed: all are updated then, in one batch. */
    private void insertAll(Connection conn, List<HandlerOutcome> outcomes) throws SQLException {
        int[] counts = executeAll(conn, insertSql, outcomes, JdbcEventConsumptionTracker::bindInsert);
        List<HandlerOutcome> present = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] != 1) {
                present.add(outcomes.get(i));
            }
        }
        if (!present.isEmpty()) {
            executeAll(conn, updateSql, present, JdbcEventConsumptionTracker::bindUpdate);
        }
    }

    private interface Binding {
        void bind(PreparedStatement statement, HandlerOutcome outcome) throws SQLException;
    }

    private static int[] executeAll(Connection conn, String sql, List<HandlerOutcome> outcomes, Binding binding)
            throws SQLException {
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            for (HandlerOutcome outcome : outcomes) {
                binding.bind(statement, outcome);
                statement.addBatch();
            }
            return statement.executeBatch();
        }
    }

    /** If neither statement changes a row, the handler is done, which is final. */
    private int recordOneByOne(Connection conn, Collection<HandlerOutcome> outcomes) throws SQLException {
        for (HandlerOutcome outcome : outcomes) {
            boolean first = outcome.attempts() <= 1;
            boolean ignored = first
                    ? insert(conn, outcome) || update(conn, outcome)
                    : update(conn, outcome) || insert(conn, outcome);
        }
        return outcomes.size();
    }

    @Override
    public boolean isTransactional() {
        return true;
    }

    @Override
    public boolean consume(String eventId, String handler) {
        Connection conn = txContext.currentConnection();
        try {
            HandlerOutcome consumed = new HandlerOutcome(eventId, handler, HandlerState.DONE, 1, Duration.ZERO, null);
            return insert(conn, consumed)
                    || JdbcTemplate.update(conn, consumeSql, statement -> {
                                statement.setString(1, eventId);
                                statement.setString(2, handler);
                            })
                            > 0;
        } catch (SQLException e) {
            throw TableErrors.failed("consumption by " + handler, table, eventId, e);
        }
    }

    /** @return {@code false} if there is a row already */
    private boolean insert(Connection conn, HandlerOutcome outcome) throws SQLException {
        try {
            return JdbcTemplate.update(conn, insertSql, statement -> bindInsert(statement, outcome)) > 0;
        } catch (SQLException e) {
            if (dialect.isDuplicateKey(e)) {
                return false;
            }
            throw e;
        }
    }

    private static void bindInsert(PreparedStatement statement, HandlerOutcome outcome) throws SQLException {
        statement.setString(1, outcome.eventId());
        statement.setString(2, outcome.handler());
        statement.setInt(3, code(outcome.state()));
        statement.setInt(4, outcome.attempts());
        setError(statement, 5, outcome.error());
        statement.setLong(6, SqlDialect.micros(outcome.delay()));
    }

    private static void bindUpdate(PreparedStatement statement, HandlerOutcome outcome) throws SQLException {
        statement.setInt(1, code(outcome.state()));
        statement.setInt(2, outcome.attempts());
        setError(statement, 3, outcome.error());
        statement.setLong(4, SqlDialect.micros(outcome.delay()));
        statement.setString(5, outcome.eventId());
        statement.setString(6, outcome.handler());
    }

    private boolean update(Connection conn, HandlerOutcome outcome) throws SQLException {
        return JdbcTemplate.update(conn, updateSql, statement -> bindUpdate(statement, outcome)) > 0;
    }

    @Override
    public void retryNow(Connection conn, String eventId) throws SQLException {
        JdbcTemplate.update(conn, retryNowSql, statement -> statement.setString(1, eventId));
    }

    @Override
    public void reset(String eventId, String handler) {
        own(
                "reset of " + handler,
                eventId,
                conn -> JdbcTemplate.update(conn, resetSql, statement -> {
                    statement.setString(1, eventId);
                    statement.setString(2, handler);
                }));
    }

    @Override
    public Set<String> openHandlers() {
        return own(
                "reading open handlers",
                "all events",
                conn -> new TreeSet<>(JdbcTemplate.query(
                        conn, openHandlersSql, JdbcTemplate.Binder.NOTHING, row -> row.getString(1))));
    }

    /** Connection errors are not reported here: the database may become available later, a missing table does not. */
    @Override
    public void verify() {
        try {
            UnitOfWork.run(
                    connections,
                    conn -> JdbcTemplate.query(conn, verifySql, JdbcTemplate.Binder.NOTHING, row -> row.getString(1)));
        } catch (SQLException e) {
            if (dialect.isMissingTable(e)) {
                throw TableErrors.missing(table, dialect, e);
            }
            if ("42S22".equals(e.getSQLState()) || "42703".equals(e.getSQLState())) {
                throw new IllegalStateException("table " + table + " lacks a column: " + e.getMessage(), e);
            }
        }
    }

    /**
     * Purges old progress whose event was delivered or deleted. Progress of pending and dead events is kept, however
     * old: without it a handler would be called again. So two outbox tables must not share a progress table: events of
     * the other table would look deleted.
     *
     * @param outboxTable the outbox table; {@code null} if there is none, as for an inbox
     */
    public EventPurger purger(@Nullable String outboxTable) {
        return new ConsumptionPurger(dialect, table, outboxTable == null ? null : TableNames.validate(outboxTable));
    }

    private <T> T own(String step, String key, UnitOfWork.Work<T> work) {
        try {
            return UnitOfWork.run(connections, work);
        } catch (SQLException e) {
            throw TableErrors.failed(step, table, key, e);
        }
    }

    private static void setError(PreparedStatement statement, int index, @Nullable String error) throws SQLException {
        if (error == null) {
            statement.setNull(index, Types.VARCHAR);
        } else {
            statement.setString(index, StoredError.clean(error));
        }
    }

    private static int code(HandlerState state) {
        return switch (state) {
            case DONE -> DONE;
            case RETRY -> RETRY;
            case DEAD -> DEAD;
            case PENDING -> throw new IllegalArgumentException("PENDING is never stored");
        };
    }

    private HandlerState state(int code) {
        return switch (code) {
            case DONE -> HandlerState.DONE;
            case RETRY -> HandlerState.RETRY;
            case DEAD -> HandlerState.DEAD;
            default ->
                throw new IllegalStateException(
                        "column state of " + table + " holds " + code + "; known are 1 done, 2 retry, 3 dead");
        };
    }
}
