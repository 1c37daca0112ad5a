package outbox.jdbc;

import java.sql.Connection;

/** The dialects of the databases that this module has stores for. */
public final class SqlDialects {
    /**
     * {@code CURRENT_TIMESTAMP} is the start of the transaction, and the start of a statement is only available in a
     * system table, which is too slow to query for every row: a variable holds it for the statements of one call.
     * Computed from the epoch, because a cast to a type without time zone would use the zone of the session.
     */
    public static final SqlDialect H2 = SqlDialect.builder("h2", "jdbc:h2:")
            .prepareNow("""
                    SET @OUTBOX_NOW = DATEADD(
                      MICROSECOND,
                      (SELECT CAST(EXTRACT(EPOCH FROM EXECUTING_STATEMENT_START) * 1000000 AS BIGINT)
                        FROM INFORMATION_SCHEMA.SESSIONS WHERE SESSION_ID = SESSION_ID()),
                      TIMESTAMP '1970-01-01 00:00:00')
                    """)
            .now("CAST(@OUTBOX_NOW AS TIMESTAMP(6))")
            .later("DATEADD(MICROSECOND, ?, {now})")
            .earlier("DATEADD(MICROSECOND, -CAST(? AS BIGINT), {now})")
            .clock("CURRENT_TIMESTAMP(6)", TimeColumns.WITH_TIME_ZONE)
            .json("? FORMAT JSON")
            .size("OCTET_LENGTH({column})", "CAST({column} AS VARCHAR)")
            .build();

    /**
     * {@code now()} is the start of the transaction, and {@code clock_timestamp()} differs from row to row, which
     * prevents index use: the start of the statement is the clock for leases. Values with a small stored size, which is
     * known without reading them, count as small: compressed text may be longer, but not much in total. A duplicate key
     * would abort the whole transaction, hence {@code ON CONFLICT}.
     */
    public static final SqlDialect POSTGRESQL = SqlDialect.builder("postgresql", "jdbc:postgresql:")
            .now("statement_timestamp()")
            .later("{now} + ? * INTERVAL '1 microsecond'")
            .earlier("{now} - ? * INTERVAL '1 microsecond'")
            .clock("clock_timestamp()", TimeColumns.WITH_TIME_ZONE)
            .json("CAST(? AS JSONB)")
            .times(TimeColumns.WITH_TIME_ZONE)
            .size(
                    "CASE WHEN pg_column_size({column}) <= 512 THEN 512 ELSE octet_length({column}::text) END",
                    "{column}::text")
            .unlessExists("ON CONFLICT DO NOTHING")
            .build();

    /** MySQL from version 8, and TiDB. At a higher isolation level the gap locks of claims would block writers. */
    public static final SqlDialect MYSQL = innoDb("mysql", "jdbc:mysql:", "jdbc:tidb:");

    public static final SqlDialect MARIADB = innoDb("mariadb", "jdbc:mariadb:");

    private SqlDialects() {}

    private static SqlDialect innoDb(String name, String... jdbcUrlPrefixes) {
        return SqlDialect.builder(name, jdbcUrlPrefixes)
                .now("UTC_TIMESTAMP(6)")
                .later("{now} + INTERVAL ? MICROSECOND")
                .earlier("{now} - INTERVAL ? MICROSECOND")
                .byKey(" FORCE INDEX (PRIMARY)")
                .size("LENGTH({column})", "{column}")
                .claimIsolation(Connection.TRANSACTION_READ_COMMITTED)
                .build();
    }
}
