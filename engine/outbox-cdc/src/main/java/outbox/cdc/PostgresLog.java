package outbox.cdc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.store.PostgresOutboxStore;

/**
 * PostgreSQL 14 or later: a logical replication slot with the built-in plugin {@code pgoutput}. The publication
 * contains only inserts of the outbox table, so that the server does not send later changes of its rows; changes of
 * partitions are published under the name of their parent.
 */
final class PostgresLog implements LogDatabase {
    /** The table name as in the catalog, independent of search path and case. */
    private static final String TABLE = """
            SELECT n.nspname || '.' || c.relname, format('%I.%I', n.nspname, c.relname)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = to_regclass(?)
            """;

    private static final String CARRIES = """
            SELECT 1 FROM pg_publication p JOIN pg_publication_tables t ON t.pubname = p.pubname
            WHERE p.pubname = ? AND p.pubinsert AND (t.schemaname, t.tablename) = (
              SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE c.oid = to_regclass(?))
            """;

    /** Slot names are global to the server, locks to the database: never terminate a reader of another database. */
    private static final String OWN_SLOT =
            " FROM pg_replication_slots WHERE database = current_database() AND slot_name = '%s'";

    private static final String SLOT = """
            SELECT wal_status, COALESCE(safe_wal_size, -1), COALESCE(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0),
              active
            FROM pg_replication_slots WHERE slot_name = ? AND database = current_database()
            """;

    private static final int SLOT_LOOKS = 100;

    private final String name;
    private final String table;
    private final StartFrom startFrom;

    PostgresLog(String name, String table, StartFrom startFrom) {
        this.name = name;
        this.table = table;
        this.startFrom = startFrom;
    }

    /** @param sql with quotes where needed */
    private record Qualified(String plain, String sql) {}

    @Override
    public Map<String, String> prepare(Connection conn) throws SQLException {
        new PostgresOutboxStore(table).verifySchema(conn);
        OffsetTable.verify(conn, "postgresql");
        Qualified qualified = JdbcTemplate.query(
                        conn,
                        TABLE,
                        statement -> statement.setString(1, table),
                        row -> new Qualified(row.getString(1), row.getString(2)))
                .get(0);
        checkLog(conn);
        checkRole(conn);
        checkPublication(conn, qualified);
        checkSlots(conn);
        return connectorSettings(qualified.plain(), PendingRows.select(conn, qualified.sql()));
    }

    private Map<String, String> connectorSettings(String qualified, String pendingRows) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
        settings.put("plugin.name", "pgoutput");
        settings.put("slot.name", name);
        settings.put("publication.name", name);
        settings.put("publication.autocreate.mode", "disabled");
        settings.put("table.include.list", qualified);
        // A logical message advances the slot while no events are written, and needs no heartbeat table.
        settings.put("heartbeat.action.query", "SELECT pg_logical_emit_message(false, 'outbox-cdc', '')");
        settings.putAll(PendingRows.snapshotSettings(startFrom, qualified, pendingRows));
        return settings;
    }

    private static void checkLog(Connection conn) throws SQLException {
        String level = one(conn, "SHOW wal_level");
        if (!"logical".equals(level)) {
            throw new CdcSetupException("wal_level is " + level
                    + ", so the log does not hold rows: set wal_level = logical in postgresql.conf and restart the server"
                    + " (on a managed database a parameter such as rds.logical_replication)");
        }
    }

    private static void checkRole(Connection conn) throws SQLException {
        String mayReplicate = one(conn, """
                SELECT (rolreplication OR rolsuper OR EXISTS (
                  SELECT 1 FROM pg_roles m WHERE m.rolname IN ('rds_replication', 'cloudsqlsuperuser', 'azure_pg_admin')
                  AND pg_has_role(current_user, m.oid, 'member')))::text
                FROM pg_roles WHERE rolname = current_user
                """);
        if (!"true".equals(mayReplicate)) {
            String user = one(conn, "SELECT quote_ident(current_user)");
            throw new CdcSetupException("user " + user + " may not read the log: ALTER ROLE " + user + " REPLICATION");
        }
    }

    /**
     * A missing publication is not created again if the slot exists: the server silently skips everything committed
     * without the publication.
     */
    private void checkPublication(Connection conn, Qualified qualified) throws SQLException {
        if (one(conn, "SELECT pubname FROM pg_publication WHERE pubname = '" + name + "'") == null) {
            if (OffsetTable.valueOf(conn, name) == null) {
                createPublication(conn, qualified);
            }
        } else if (!isCarried(conn)) {
            throw new CdcSetupException("the publication " + name + " does not carry the inserts of " + qualified.sql()
                    + ": DROP PUBLICATION " + name + ", and the relay creates it again");
        }
    }

    private boolean isCarried(Connection conn) throws SQLException {
        return !JdbcTemplate.query(
                        conn,
                        CARRIES,
                        statement -> {
                            statement.setString(1, name);
                            statement.setString(2, table);
                        },
                        row -> row.getInt(1))
                .isEmpty();
    }

    private void createPublication(Connection conn, Qualified qualified) throws SQLException {
        String ddl = "CREATE PUBLICATION " + name + " FOR TABLE " + qualified.sql()
                + " WITH (publish = 'insert', publish_via_partition_root = true)";
        try {
            JdbcTemplate.update(conn, ddl, JdbcTemplate.Binder.NOTHING);
        } catch (SQLException e) {
            if ("42710".equals(e.getSQLState())) {
                return; // another node created it
            }
            throw new CdcSetupException(
                    "the publication " + name + " does not exist and this user cannot create it (" + e.getMessage()
                            + "): let the owner of the table run: " + ddl,
                    e);
        }
    }

    private void checkSlots(Connection conn) throws SQLException {
        String foreign = one(conn, """
                SELECT CASE WHEN database = current_database() AND plugin = 'pgoutput' THEN ''
                  ELSE concat(' of database ', database, ', plug-in ', plugin) END
                FROM pg_replication_slots WHERE slot_name = '%s'
                """.formatted(name));
        if (foreign != null && !foreign.isEmpty()) {
            throw new CdcSetupException("there is another replication slot " + name + foreign
                    + ": slots belong to the whole server, so give this relay another name");
        }
        if (foreign != null) {
            return;
        }
        String full = one(conn, """
                SELECT (count(*) >= current_setting('max_replication_slots')::int)::text FROM pg_replication_slots
                """);
        if ("true".equals(full)) {
            throw new CdcSetupException("all " + one(conn, "SHOW max_replication_slots")
                    + " replication slots are in use: raise max_replication_slots, or drop one that nobody reads"
                    + " (SELECT slot_name, active FROM pg_replication_slots)");
        }
    }

    @Override
    public boolean tryLock(Connection conn) throws SQLException {
        return "t".equals(one(conn, "SELECT pg_try_advisory_lock(hashtext('outbox-cdc'), hashtext('" + name + "'))"));
    }

    @Override
    public void endWhenSilent(Connection conn, Duration limit) throws SQLException {
        one(conn, "SELECT set_config('idle_session_timeout', '" + limit.toMillis() + "', false)");
    }

    @Override
    public boolean isRead(Connection conn) throws SQLException {
        return one(conn, "SELECT active_pid::text" + OWN_SLOT.formatted(name)) != null;
    }

    @Override
    public void endReader(Connection conn) throws SQLException {
        one(conn, "SELECT pg_terminate_backend(active_pid)::text" + OWN_SLOT.formatted(name));
    }

    @Override
    public @Nullable String lostOffset(Connection conn) throws SQLException {
        if (OffsetTable.valueOf(conn, name) == null) {
            return null;
        }
        List<String> slot = JdbcTemplate.query(
                conn, SLOT, statement -> statement.setString(1, name), row -> String.valueOf(row.getString(1)));
        if (slot.isEmpty()) {
            return "the replication slot " + name + ", which retained the log for the relay, was dropped";
        }
        if (slot.get(0).equals("lost")) {
            return "the replication slot " + name + " is lost: the server removed log it needs";
        }
        return isCarried(conn)
                ? null
                : "the publication " + name + " was dropped or does not carry the inserts of " + table
                        + " any more, so the server skips them";
    }

    @Override
    public LogPosition end(Connection conn) throws SQLException {
        String lsn = one(conn, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint");
        if (lsn == null) {
            throw new SQLException("cannot determine the end position of the log");
        }
        return new Lsn(Long.parseLong(lsn));
    }

    /**
     * Transactions are sent in commit order, so a change written at or after this position belongs to a transaction
     * that committed after it: everything committed before was received.
     */
    private record Lsn(long value) implements LogPosition {
        @Override
        public boolean isReachedBy(Map<String, ?> sourceOffset) {
            return sourceOffset.get("lsn") instanceof Number lsn && lsn.longValue() >= value;
        }
    }

    @Override
    public void nudge(Connection conn) throws SQLException {
        one(conn, "SELECT pg_logical_emit_message(false, 'outbox-cdc', '')::text");
    }

    @Override
    public LogState look(Connection conn, long warnBytes) throws SQLException {
        List<LogState> slots = JdbcTemplate.query(conn, SLOT, statement -> statement.setString(1, name), row -> {
            long safe = row.getLong(2);
            long retained = row.getLong(3);
            return new LogState(retained, warning(row.getString(1), safe, retained, row.getBoolean(4), warnBytes));
        });
        return slots.isEmpty() ? new LogState(0, null) : slots.get(0);
    }

    private @Nullable String warning(
            @Nullable String walStatus, long safe, long retained, boolean active, long warnBytes) {
        String slot = "replication slot " + name + (active ? "" : ", which nobody reads,");
        if ("unreserved".equals(walStatus)) {
            return slot + " will be lost at the next checkpoint: raise max_slot_wal_keep_size now";
        }
        if (safe >= 0 && safe < warnBytes) {
            return slot + " keeps " + retained + " bytes of log and is lost after " + safe
                    + " more (max_slot_wal_keep_size)";
        }
        if (retained > warnBytes) {
            return slot + " keeps " + retained + " bytes of log, more than the warning limit of " + warnBytes
                    + ": the disk fills up unless the relay catches up or the slot is dropped";
        }
        return null;
    }

    /** The server may need a moment to notice that the reader has gone. The publication stays: it retains no log. */
    @Override
    public void forget(Connection conn) throws SQLException {
        String active = "SELECT 1 FROM pg_replication_slots WHERE active AND slot_name = '" + name + "'";
        for (int look = 0; look < SLOT_LOOKS && one(conn, active) != null; look++) {
            one(conn, "SELECT pg_sleep(0.1)::text");
        }
        one(
                conn,
                "SELECT pg_drop_replication_slot(slot_name)::text FROM pg_replication_slots WHERE slot_name = '" + name
                        + "'");
    }

    private static @Nullable String one(Connection conn, String sql) throws SQLException {
        return Single.text(conn, sql);
    }
}
