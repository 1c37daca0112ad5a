package outbox.idempotency.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import outbox.idempotency.CreateWork.NewId;
import outbox.idempotency.IdempotencyKey;
import outbox.idempotency.IdempotencyRecords;
import outbox.idempotency.Ulid128;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.TableNames;
import outbox.spi.ConnectionProvider;
import outbox.spi.TxContext;
import outbox.spi.UnitOfWork;
import outbox.util.StoredError;
import outbox.util.Ulid;

/** Idempotency keys in the table {@value #DEFAULT_TABLE}, using the database's clock. Thread-safe. */
public final class JdbcIdempotencyRecords implements IdempotencyRecords {
    public static final String DEFAULT_TABLE = "outbox_idempotency";

    private static final int IN_PROGRESS = 0;
    private static final int SUCCEEDED = 1;
    private static final int MAX_TRIES = 10;

    private final SqlDialect dialect;
    private final ConnectionProvider connections;
    private final TxContext txContext;
    private final String table;
    private final IdempotencySql sql;

    /** On the default table. */
    public JdbcIdempotencyRecords(String database, ConnectionProvider connections, TxContext txContext) {
        this(database, connections, txContext, DEFAULT_TABLE);
    }

    /**
     * @param database {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}: the name of the outbox's store
     * @param connections for short separate transactions, not those of {@code txContext}
     */
    public JdbcIdempotencyRecords(
            String database, ConnectionProvider connections, TxContext txContext, String tableName) {
        this.dialect = Dialects.of(database);
        this.connections = Objects.requireNonNull(connections, "connections");
        this.txContext = Objects.requireNonNull(txContext, "txContext");
        this.table = TableNames.validate(tableName);
        this.sql = new IdempotencySql(dialect, table);
    }

    /** A row as it was read; {@code now} is the database time of the query. */
    private record Found(
            int status,
            String requestHash,
            NewId ids,
            @Nullable String resultJson,
            String owner,
            Instant lockedUntil,
            Instant expiresAt,
            Instant now) {
        boolean isExpired() {
            return expiresAt.isBefore(now);
        }

        boolean isLeaseOver() {
            return lockedUntil.isBefore(now);
        }
    }

    @Override
    public Claim claim(IdempotencyKey key, String requestHash, NewId proposed, Duration lease, Duration expiresAfter) {
        String owner = Ulid.next();
        for (int tries = 1; ; tries++) {
            try {
                Optional<Claim> claim = UnitOfWork.run(
                        connections, conn -> tryClaim(conn, key, requestHash, proposed, owner, lease, expiresAfter));
                if (claim.isPresent()) {
                    return claim.get();
                }
            } catch (SQLException e) {
                if (dialect.isMissingTable(e)) {
                    throw TableErrors.missing(table, dialect, e);
                }
                if (tries == MAX_TRIES || !(dialect.isDuplicateKey(e) || TableErrors.isTransient(e))) {
                    throw TableErrors.failed("claim", table, key.toString(), e);
                }
            }
            if (tries == MAX_TRIES) {
                return new Claim.InProgress(); // other callers won every time, so the key is in use
            }
        }
    }

    /** @return empty if another caller changed the row meanwhile: read it again */
    private Optional<Claim> tryClaim(
            Connection conn,
            IdempotencyKey key,
            String requestHash,
            NewId proposed,
            String owner,
            Duration lease,
            Duration expiresAfter)
            throws SQLException {
        Found found = find(conn, key);
        if (found == null) {
            insert(conn, key, requestHash, proposed, owner, lease, expiresAfter);
            return Optional.of(new Claim.Granted(owner, proposed.internalId(), proposed.publicId()));
        }
        boolean free = found.status() != IN_PROGRESS || found.isLeaseOver();
        boolean expired = found.isExpired() && free;
        if (!expired && !found.requestHash().equals(requestHash)) {
            return Optional.of(new Claim.Conflict());
        }
        if (!expired && found.status() == SUCCEEDED) {
            return Optional.of(
                    new Claim.Succeeded(found.ids().internalId(), found.ids().publicId(), found.resultJson()));
        }
        if (!free || (found.status() == IN_PROGRESS && !isUnheld(conn, key, found.owner()))) {
            return Optional.of(new Claim.InProgress());
        }
        NewId ids = expired ? proposed : found.ids();
        boolean taken = take(conn, key, requestHash, ids, owner, lease, expiresAfter, found.owner());
        return taken ? Optional.of(new Claim.Granted(owner, ids.internalId(), ids.publicId())) : Optional.empty();
    }

    private @Nullable Found find(Connection conn, IdempotencyKey key) throws SQLException {
        List<Found> rows = JdbcTemplate.query(conn, sql.select, statement -> bindKey(statement, 1, key), this::found);
        return rows.isEmpty() ? null : rows.get(0);
    }

    private Found found(ResultSet row) throws SQLException {
        return new Found(
                row.getInt(1),
                row.getString(2),
                new NewId(Ulid128.fromBytes(row.getBytes(3)), row.getString(4)),
                row.getString(5),
                row.getString(6),
                dialect.times().read(row, 7),
                dialect.times().read(row, 8),
                dialect.times().read(row, 9));
    }

    private boolean isUnheld(Connection conn, IdempotencyKey key, String owner) throws SQLException {
        return !JdbcTemplate.query(
                        conn,
                        sql.lock,
                        statement -> statement.setString(bindKey(statement, 1, key), owner),
                        row -> row.getString(1))
                .isEmpty();
    }

    private void insert(
            Connection conn,
            IdempotencyKey key,
            String requestHash,
            NewId ids,
            String owner,
            Duration lease,
            Duration expiresAfter)
            throws SQLException {
        JdbcTemplate.update(conn, sql.insert, statement -> {
            int index = bindKey(statement, 1, key);
            statement.setString(index, requestHash);
            statement.setBytes(index + 1, ids.internalId().bytes());
            statement.setString(index + 2, ids.publicId());
            statement.setString(index + 3, owner);
            statement.setLong(index + 4, SqlDialect.micros(lease));
            statement.setLong(index + 5, SqlDialect.micros(expiresAfter));
        });
    }

    private boolean take(
            Connection conn,
            IdempotencyKey key,
            String requestHash,
            NewId ids,
            String owner,
            Duration lease,
            Duration expiresAfter,
            String formerOwner)
            throws SQLException {
        return JdbcTemplate.update(conn, sql.take, statement -> {
                    statement.setString(1, requestHash);
                    statement.setBytes(2, ids.internalId().bytes());
                    statement.setString(3, ids.publicId());
                    statement.setString(4, owner);
                    statement.setLong(5, SqlDialect.micros(lease));
                    statement.setLong(6, SqlDialect.micros(expiresAfter));
                    statement.setString(bindKey(statement, 7, key), formerOwner);
                })
                > 0;
    }

    @Override
    public boolean hold(IdempotencyKey key, String owner) {
        return inTransaction("hold", key, sql.hold, statement -> statement.setString(bindKey(statement, 1, key), owner))
                > 0;
    }

    @Override
    public boolean renew(IdempotencyKey key, String owner, Duration lease) {
        try {
            return UnitOfWork.run(
                    connections,
                    conn -> JdbcTemplate.update(conn, sql.renew, statement -> {
                                statement.setLong(1, SqlDialect.micros(lease));
                                statement.setString(bindKey(statement, 2, key), owner);
                            })
                            > 0);
        } catch (SQLException e) {
            throw TableErrors.failed("renewal", table, key.toString(), e);
        }
    }

    @Override
    public void succeeded(IdempotencyKey key, String owner, @Nullable String resultJson, Duration expiresAfter) {
        int rows = inTransaction("storing success", key, sql.succeed, statement -> {
            if (resultJson == null) {
                statement.setNull(1, Types.VARCHAR);
            } else {
                statement.setString(1, resultJson);
            }
            statement.setLong(2, SqlDialect.micros(expiresAfter));
            statement.setString(bindKey(statement, 3, key), owner);
        });
        if (rows == 0) {
            throw new OutboxStoreException("idempotency key " + key + " is no longer held by " + owner, null);
        }
    }

    @Override
    public void failed(IdempotencyKey key, String owner, String error) {
        try {
            UnitOfWork.run(
                    connections,
                    conn -> JdbcTemplate.update(conn, sql.fail, statement -> {
                        statement.setString(1, StoredError.clean(error));
                        statement.setString(bindKey(statement, 2, key), owner);
                    }));
        } catch (SQLException e) {
            throw TableErrors.failed("storing failure", table, key.toString(), e);
        }
    }

    /**
     * Deletes keys that have expired.
     *
     * @param limit how many at most
     * @return how many were deleted
     */
    public int purgeExpired(int limit) {
        try {
            return UnitOfWork.run(connections, conn -> {
                int deleted = 0;
                for (IdempotencyKey key : expired(conn, limit)) {
                    deleted += JdbcTemplate.update(conn, sql.delete, statement -> bindKey(statement, 1, key));
                }
                return deleted;
            });
        } catch (SQLException e) {
            throw TableErrors.failed("purge", table, "expired keys", e);
        }
    }

    private List<IdempotencyKey> expired(Connection conn, int limit) throws SQLException {
        return JdbcTemplate.query(
                conn,
                sql.expired,
                statement -> statement.setInt(1, limit),
                row -> new IdempotencyKey(row.getString(1), row.getString(2), row.getString(3)));
    }

    private int inTransaction(String step, IdempotencyKey key, String statement, JdbcTemplate.Binder binder) {
        try {
            return JdbcTemplate.update(txContext.currentConnection(), statement, binder);
        } catch (SQLException e) {
            throw TableErrors.failed(step, table, key.toString(), e);
        }
    }

    /** @return the index after those of the key */
    private static int bindKey(PreparedStatement statement, int index, IdempotencyKey key) throws SQLException {
        statement.setString(index, key.tenantId());
        statement.setString(index + 1, key.scope());
        statement.setString(index + 2, key.key());
        return index + 3;
    }
}
