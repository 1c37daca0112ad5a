package outbox.torture;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import outbox.testing.server.EmbeddedMariaDb;
import outbox.testing.server.EmbeddedServer;
import outbox.testing.server.ServerOptions;

/** MariaDB with a replica by GTID; synchronous is what MariaDB calls semi-synchronous, with the wait before the commit. */
final class MariaDbPair extends ReplicatedPair {
    private static final String NONE = "";
    private static final String APPLICATION = "shop";

    private MariaDbPair(Replication replication, EmbeddedServer primary, EmbeddedServer standby, Link link) {
        super(replication, primary, standby, link);
    }

    static MariaDbPair start(Replication replication) throws IOException, InterruptedException, SQLException {
        EmbeddedServer primary = EmbeddedMariaDb.start(ServerOptions.defaults()
                .with("server_id", "1")
                .with("log_bin", "binlog")
                .with("binlog_format", "ROW")
                .with("sync_binlog", "1"));
        Link link = new Link(primary.port());
        EmbeddedServer standby = EmbeddedMariaDb.start(ServerOptions.defaults()
                .with("server_id", "2")
                .with("relay_log", "relay")
                .with("read_only", "1"));
        boolean synchronous = replication == Replication.SYNCHRONOUS;
        if (synchronous) {
            execute(
                    primary,
                    NONE,
                    "SET GLOBAL rpl_semi_sync_master_wait_point = 'AFTER_SYNC'",
                    "SET GLOBAL rpl_semi_sync_master_timeout = 3600000", // never become asynchronous
                    "SET GLOBAL rpl_semi_sync_master_enabled = 1");
            execute(standby, NONE, "SET GLOBAL rpl_semi_sync_slave_enabled = 1");
        }
        execute(
                standby,
                NONE,
                "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = " + link.port() + ", MASTER_USER = '"
                        + primary.username() + "', MASTER_PASSWORD = '" + primary.password()
                        + "', MASTER_USE_GTID = slave_pos, MASTER_SSL = 0, MASTER_SSL_VERIFY_SERVER_CERT = 0,"
                        + " MASTER_CONNECT_RETRY = 1",
                "START SLAVE");
        await("the replica to follow", () -> isFollowing(primary, standby, synchronous));
        return new MariaDbPair(replication, primary, standby, link);
    }

    private static boolean isFollowing(EmbeddedServer primary, EmbeddedServer standby, boolean synchronous)
            throws SQLException {
        return answers(standby, NONE, "SHOW SLAVE STATUS", "Slave_IO_Running", "Yes")
                && answers(standby, NONE, "SHOW SLAVE STATUS", "Slave_SQL_Running", "Yes")
                && (!synchronous
                        || answers(primary, NONE, "SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'", "Value", "1"));
    }

    /** An account that {@code read_only} stops: that of the tests may write on a replica. */
    @Override
    void admit(String database) throws SQLException {
        execute(
                primary(),
                NONE,
                "CREATE USER IF NOT EXISTS '" + APPLICATION + "'@'%' IDENTIFIED BY '" + APPLICATION + "'",
                "GRANT ALL ON " + database + ".* TO '" + APPLICATION + "'@'%'");
    }

    @Override
    String jdbcUrl(String database) {
        return "jdbc:mariadb:sequential://127.0.0.1:" + primary().port() + ",127.0.0.1:"
                + standby().port() + "/" + database + "?sslMode=disable";
    }

    @Override
    String socketTimeout(Duration timeout) {
        return "&socketTimeout=" + timeout.toMillis();
    }

    @Override
    String username() {
        return APPLICATION;
    }

    @Override
    String password() {
        return APPLICATION;
    }

    @Override
    boolean hasAppliedAll() throws SQLException {
        return answers(standby(), NONE, "SHOW SLAVE STATUS", "Slave_SQL_Running_State", "Slave has read all relay log");
    }

    @Override
    void promote() throws SQLException {
        execute(standby(), NONE, "STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = 0");
    }
}
