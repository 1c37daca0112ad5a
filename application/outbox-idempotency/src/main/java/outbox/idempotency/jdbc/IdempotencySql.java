package outbox.idempotency.jdbc;

import outbox.jdbc.SqlDialect;

/** The statements on the table of idempotency keys, for one database. Immutable. */
final class IdempotencySql {
    private static final String BY_KEY = "WHERE tenant_id = ? AND scope = ? AND idempotency_key = ?";
    private static final String SELECT = """
            SELECT status, request_hash, internal_id, public_id, result_json, owner, locked_until, expires_at, {now}
            FROM {table}
            """ + BY_KEY;
    /** Finds no row while a transaction of the work locks it, nor after that has succeeded. */
    private static final String LOCK =
            "SELECT owner FROM {table} " + BY_KEY + " AND owner = ? AND status = 0 FOR UPDATE SKIP LOCKED";

    private static final String INSERT = """
            INSERT INTO {table} (tenant_id, scope, idempotency_key, request_hash, status, attempts, internal_id,
              public_id, owner, locked_until, expires_at, created_at, updated_at)
            VALUES (?, ?, ?, ?, 0, 1, ?, ?, ?, {now+?}, {now+?}, {now}, {now})
            """;
    private static final String TAKE = """
            UPDATE {table} SET status = 0, attempts = attempts + 1, request_hash = ?, internal_id = ?, public_id = ?,
              result_json = NULL, owner = ?, locked_until = {now+?}, expires_at = {now+?}, updated_at = {now}
            """ + BY_KEY + " AND owner = ?";
    private static final String HOLD =
            "UPDATE {table} SET updated_at = {now} " + BY_KEY + " AND owner = ? AND status = 0";
    private static final String RENEW =
            "UPDATE {table} SET locked_until = {now+?}, updated_at = {now} " + BY_KEY + " AND owner = ? AND status = 0";
    private static final String SUCCEED = """
            UPDATE {table} SET status = 1, result_json = ?, last_error = NULL, expires_at = {now+?}, updated_at = {now}
            """ + BY_KEY + " AND owner = ? AND status = 0";
    private static final String FAIL = "UPDATE {table} SET status = 2, last_error = ?, updated_at = {now} " + BY_KEY
            + " AND owner = ? AND status = 0";
    private static final String EXPIRED = """
            SELECT tenant_id, scope, idempotency_key FROM {table}
            WHERE expires_at < {now} AND locked_until < {now} LIMIT ?
            """;
    private static final String DELETE = "DELETE FROM {table} " + BY_KEY + " AND expires_at < {now}";

    final String select;
    final String lock;
    final String insert;
    final String take;
    final String hold;
    final String renew;
    final String succeed;
    final String fail;
    final String expired;
    final String delete;

    IdempotencySql(SqlDialect dialect, String table) {
        this.select = dialect.render(SELECT, table);
        this.lock = dialect.render(LOCK, table);
        this.insert = dialect.render(INSERT, table);
        this.take = dialect.render(TAKE, table);
        this.hold = dialect.render(HOLD, table);
        this.renew = dialect.render(RENEW, table);
        this.succeed = dialect.render(SUCCEED, table);
        this.fail = dialect.render(FAIL, table);
        this.expired = dialect.render(EXPIRED, table);
        this.delete = dialect.render(DELETE, table);
    }
}
