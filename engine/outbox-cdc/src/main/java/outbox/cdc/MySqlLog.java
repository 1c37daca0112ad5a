package outbox.cdc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.MariaDbOutboxStore;
import outbox.jdbc.store.MySqlOutboxStore;

/**
 * MySQL and MariaDB: the binlog in row format. The server retains it by age, not for its readers, so a reader that is
 * away for too long loses its offset; {@link #look} warns before that.
 */
final class MySqlLog implements LogDatabase {
    /** The server's heartbeat period as a fraction of Debezium's keep-alive interval. */
    private static final double HEARTBEAT_SHARE = 0.8;

    private final DatabaseAddress address;
    private final String name;
    private final String database;
    private final String table;
    private final StartFrom startFrom;
    private final Duration heartbeat;

    MySqlLog(DatabaseAddress address, String name, String tableName, StartFrom startFrom, Duration heartbeat) {
        this.address = address;
        this.name = name;
        int dot = tableName.indexOf('.');
        this.database = dot < 0 ? address.database() : tableName.substring(0, dot);
        this.table = tableName.substring(dot + 1);
        this.startFrom = startFrom;
        this.heartbeat = heartbeat;
    }

    private boolean isMariaDb() {
        return address.kind().equals("mariadb");
    }

    private String qualified() {
        return database + "." + table;
    }

    @Override
    public Map<String, String> prepare(Connection conn) throws SQLException {
        AbstractJdbcOutboxStore store =
                isMariaDb() ? new MariaDbOutboxStore(qualified()) : new MySqlOutboxStore(qualified());
        store.verifySchema(conn);
        OffsetTable.verify(conn, address.kind());
        HistoryTable.verify(conn, address.kind());
        checkLog(conn);
        checkGrants(conn);
        return connectorSettings(PendingRows.select(conn, qualified()));
    }

    private Map<String, String> connectorSettings(String pendingRows) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put(
                "connector.class",
                isMariaDb()
                        ? "io.debezium.connector.mariadb.MariaDbConnector"
                        : "io.debezium.connector.mysql.MySqlConnector");
        settings.put("database.server.id", Integer.toString(serverId()));
        settings.put("database.include.list", database);
        settings.put("table.include.list", qualified());
        settings.put("include.schema.changes", "false");
        settings.put("schema.history.internal", HistoryTable.class.getName());
        settings.put("schema.history.internal.store.only.captured.tables.ddl", "true");
        // ignore DDL of other tables, which Debezium may not be able to parse
        settings.put("schema.history.internal.skip.unparseable.ddl", "true");
        RelayState.settings(address, name)
                .forEach((setting, value) -> settings.put("schema.history.internal." + setting, value));
        settings.putAll(PendingRows.snapshotSettings(startFrom, qualified(), pendingRows));
        settings.putAll(signsOfLife());
        return settings;
    }

    /**
     * Debezium's heartbeat is triggered by messages of the server, and an idle server only sends them if requested.
     * Debezium's keep-alive thread is disabled: it mistakes a listener that is busy for longer than the interval for a
     * lost connection, reconnects and skips rows. The relay supervises the connection itself.
     */
    private Map<String, String> signsOfLife() {
        long interval = (long) Math.ceil(heartbeat.toMillis() / HEARTBEAT_SHARE);
        return Map.of("connect.keep.alive", "false", "connect.keep.alive.interval.ms", Long.toString(interval));
    }

    /**
     * The reader is a replica for the server and needs a unique server id. A hash in a high range avoids the small ids
     * that administrators assign.
     */
    private int serverId() {
        return 1_000_000_000 + Math.floorMod((qualified() + "/" + name).hashCode(), 1_000_000_000);
    }

    private static void checkLog(Connection conn) throws SQLException {
        if (!"1".equals(one(conn, "SELECT @@log_bin"))) {
            throw new CdcSetupException("the server writes no binlog: set log_bin and server_id, and restart it");
        }
        String format = one(conn, "SELECT @@global.binlog_format");
        if (!"ROW".equalsIgnoreCase(format)) {
            throw new CdcSetupException("binlog_format is " + format
                    + ", so the log does not hold rows: SET GLOBAL binlog_format = 'ROW', and in the server's"
                    + " configuration; sessions that are open keep the old format");
        }
        String image = one(conn, "SELECT @@global.binlog_row_image");
        if (!"FULL".equalsIgnoreCase(image)) {
            throw new CdcSetupException("binlog_row_image is " + image
                    + ", so the log does not hold whole rows: SET GLOBAL binlog_row_image = 'FULL', and in the server's"
                    + " configuration");
        }
    }

    private static void checkGrants(Connection conn) throws SQLException {
        String grants = String.join(
                "\n", JdbcTemplate.query(conn, "SHOW GRANTS", JdbcTemplate.Binder.NOTHING, row -> row.getString(1)));
        if (!grants.contains("ALL PRIVILEGES ON *.*") && !grants.contains("REPLICATION SLAVE")) {
            String user = one(conn, "SELECT CURRENT_USER()");
            throw new CdcSetupException("user " + user
                    + " may not read the log: GRANT SELECT, RELOAD, SHOW DATABASES, REPLICATION SLAVE, REPLICATION CLIENT"
                    + " ON *.* TO that user");
        }
    }

    /** Named locks are global to the server, and their names have at most 64 characters. */
    @Override
    public boolean tryLock(Connection conn) throws SQLException {
        List<Integer> got = JdbcTemplate.query(
                conn,
                "SELECT GET_LOCK(CONCAT('outbox-cdc-', SHA1(?)), 0)",
                statement -> statement.setString(1, database + "/" + name),
                row -> row.getInt(1));
        return got.get(0) == 1;
    }

    @Override
    public void endWhenSilent(Connection conn, Duration limit) throws SQLException {
        JdbcTemplate.update(
                conn, "SET SESSION wait_timeout = " + Math.max(1, limit.toSeconds()), JdbcTemplate.Binder.NOTHING);
    }

    @Override
    public LogPosition end(Connection conn) throws SQLException {
        for (String statement : List.of("SHOW BINARY LOG STATUS", "SHOW BINLOG STATUS", "SHOW MASTER STATUS")) {
            try {
                List<BinlogPosition> positions = positions(conn, statement);
                if (!positions.isEmpty()) {
                    return positions.get(0);
                }
            } catch (SQLException e) {
                if (!"42000".equals(e.getSQLState())) {
                    throw e;
                }
                // the statement has another name on this server
            }
        }
        throw new SQLException("cannot determine the end position of the binlog");
    }

    @Override
    public void nudge(Connection conn) throws SQLException {
        OffsetTable.touch(conn, name, address.times());
    }

    @Override
    public String byKey() {
        return " FORCE INDEX (PRIMARY)";
    }

    private static List<BinlogPosition> positions(Connection conn, String statement) throws SQLException {
        return JdbcTemplate.query(
                conn,
                statement,
                JdbcTemplate.Binder.NOTHING,
                row -> new BinlogPosition(row.getString(1), row.getLong(2)));
    }

    private @Nullable BinlogPosition written(Connection conn) throws SQLException {
        return BinlogPosition.parse(OffsetTable.valueOf(conn, name));
    }

    @Override
    public @Nullable String lostOffset(Connection conn) throws SQLException {
        BinlogPosition position = written(conn);
        return position == null || isKept(conn, position)
                ? null
                : "the binlog after " + position.file() + ":" + position.position() + ", the offset of relay " + name
                        + ", was purged";
    }

    /** Compares files only if the server has no GTIDs: another server of the cluster has other files. */
    private boolean isKept(Connection conn, BinlogPosition position) throws SQLException {
        String gtids = position.gtids();
        if (gtids != null && !isMariaDb()) {
            return one(conn, "SELECT GTID_SUBTRACT(@@global.gtid_purged, ?)", gtids)
                    .isEmpty();
        }
        List<BinlogPosition> files = positions(conn, "SHOW BINARY LOGS");
        return gtids == null
                ? files.stream()
                        .anyMatch(each -> each.file().equals(position.file()) && each.position() >= position.position())
                : !position.isBefore(
                        one(conn, "SELECT BINLOG_GTID_POS(?, 4)", files.get(0).file()));
    }

    @Override
    public LogState look(Connection conn, long warnBytes) throws SQLException {
        BinlogPosition position = written(conn);
        if (position == null) {
            return new LogState(0, null);
        }
        long retained = 0;
        boolean unread = false;
        for (BinlogPosition each : positions(conn, "SHOW BINARY LOGS")) {
            unread |= each.file().equals(position.file());
            retained += unread ? each.position() : 0;
        }
        retained = Math.max(0, retained - position.position());
        return new LogState(retained, warning(conn, position, retained, warnBytes));
    }

    private @Nullable String warning(Connection conn, BinlogPosition position, long retained, long warnBytes)
            throws SQLException {
        if (retained > warnBytes) {
            return "the server keeps " + retained + " bytes of binlog that relay " + name
                    + " has not read, more than the warning limit of " + warnBytes;
        }
        if (retained > 0 && position.seconds() >= 0) {
            long age = Long.parseLong(String.valueOf(one(conn, "SELECT UNIX_TIMESTAMP()"))) - position.seconds();
            long expiry = Long.parseLong(String.valueOf(one(conn, "SELECT @@global.binlog_expire_logs_seconds")));
            if (expiry > 0 && age > expiry / 2) {
                return "relay " + name + " is " + age + " s behind, and the server keeps its binlog for " + expiry
                        + " s (binlog_expire_logs_seconds): events purged before they are read must be read from the"
                        + " table again";
            }
        }
        return null;
    }

    @Override
    public void forget(Connection conn) throws SQLException {
        HistoryTable.forget(conn, name);
    }

    private static @Nullable String one(Connection conn, String sql) throws SQLException {
        return Single.text(conn, sql);
    }

    private static String one(Connection conn, String sql, String parameter) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        sql,
                        statement -> statement.setString(1, parameter),
                        row -> String.valueOf(row.getString(1)))
                .get(0);
    }
}
