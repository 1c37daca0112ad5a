package outbox.idempotency.jdbc;

/** The statements on the table of idempotency keys, in the words of one database. Immutable. */
final class IdempotencySql {
    private static final String BY_KEY = "WHERE tenant_id = ? AND scope = ? AND idempotency_key = ?";
    private static final String SELECT = """
            SELECT status, request_hash, internal_id, public_id, result_json, owner, locked_until, expires_at, {now}
            FROM {table}
            """ + BY_KEY;
    /** Not to be had while a transaction of the work holds the row, nor when that has just succeeded. */
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
    final String succeed;
    final String fail;
    final String expired;
    final String delete;

    IdempotencySql(Flavor flavor, String table) {
        this.select = flavor.sql(SELECT, table);
        this.lock = flavor.sql(LOCK, table);
        this.insert = flavor.sql(INSERT, table);
        this.take = flavor.sql(TAKE, table);
        this.hold = flavor.sql(HOLD, table);
        this.succeed = flavor.sql(SUCCEED, table);
        this.fail = flavor.sql(FAIL, table);
        this.expired = flavor.sql(EXPIRED, table);
        this.delete = flavor.sql(DELETE, table);
    }
}
