package outbox.jdbc.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import outbox.jdbc.EventTable;
import outbox.jdbc.JdbcTemplate;
import outbox.spi.Settlement;

/**
 * {@link KeyedSettlement} on MySQL and MariaDB. A row may be locked by a slow transaction. By default the server would
 * wait 50 seconds for it, and delay the outcomes of all other events: a settlement waits two seconds. Thread-safe.
 */
final class InnoDbSettlement implements SettlementStrategy {
    private static final int BRIEF_SECONDS = 2;

    private final KeyedSettlement settlement;
    private final SkipLockedSupport skipLocked;

    InnoDbSettlement(EventTable table, SkipLockedSupport skipLocked) {
        this.settlement = new KeyedSettlement(table);
        this.skipLocked = skipLocked;
    }

    @Override
    public Set<String> settle(Connection conn, String owner, List<Settlement> settlements) throws SQLException {
        OwnTransaction.Work<Set<String>> work = () -> settlement.settle(conn, owner, settlements);
        int seconds = conn.getAutoCommit() ? lockWait(conn) : 0;
        if (seconds <= BRIEF_SECONDS) {
            return work.run();
        }
        setLockWait(conn, BRIEF_SECONDS);
        return OwnTransaction.restoring(work, () -> setLockWait(conn, seconds));
    }

    private static int lockWait(Connection conn) throws SQLException {
        return JdbcTemplate.query(
                        conn,
                        "SELECT @@SESSION.innodb_lock_wait_timeout",
                        JdbcTemplate.Binder.NOTHING,
                        row -> row.getInt(1))
                .get(0);
    }

    private static void setLockWait(Connection conn, int seconds) throws SQLException {
        JdbcTemplate.update(conn, "SET SESSION innodb_lock_wait_timeout = " + seconds, JdbcTemplate.Binder.NOTHING);
    }

    @Override
    public Set<String> renew(Connection conn, String owner, Collection<String> eventIds) throws SQLException {
        return skipLocked.run(
                () -> settlement.renew(conn, owner, eventIds, true),
                () -> settlement.renew(conn, owner, eventIds, false));
    }

    @Override
    public Set<String> locked(Connection conn, Collection<String> eventIds) throws SQLException {
        return skipLocked.run(() -> settlement.locked(conn, eventIds), Set::of);
    }
}
