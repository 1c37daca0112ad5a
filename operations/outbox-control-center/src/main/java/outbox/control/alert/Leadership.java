package outbox.control.alert;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;
import outbox.util.Ulid;

/** Elects one of several control centers on one database for work that only one may do. Uses the database's clock. */
final class Leadership {
    private final DataSource dataSource;
    private final Flavor flavor;
    private final String work;
    private final Duration term;
    private final String self = Ulid.next();

    Leadership(DataSource dataSource, Flavor flavor, String work, Duration term) {
        this.dataSource = dataSource;
        this.flavor = flavor;
        this.work = work;
        this.term = term;
    }

    /** Takes or renews the lease. @return whether this control center is the leader for the next term */
    boolean hold() throws SQLException {
        return UnitOfWork.run(dataSource::getConnection, this::hold);
    }

    private boolean hold(Connection conn) throws SQLException {
        Instant now = flavor.clock(conn);
        Sql prolong = new Sql(
                flavor,
                "UPDATE outbox_cc_lease SET owner = ?, until_at = ? WHERE name = ? AND (owner = ? OR until_at < ?)",
                self,
                now.plus(term),
                work,
                self,
                now);
        if (prolong.update(conn) > 0) {
            return true;
        }
        boolean taken = new Sql(flavor, "SELECT owner FROM outbox_cc_lease WHERE name = ?", work)
                        .first(conn, row -> row.getString(1))
                != null;
        if (taken) {
            return false;
        }
        return new Sql(
                                flavor,
                                "INSERT INTO outbox_cc_lease (name, owner, until_at) VALUES (?, ?, ?)",
                                work,
                                self,
                                now.plus(term))
                        .update(conn)
                > 0;
    }

    /** Releases the lease, so that another control center can take it at once. */
    void release() throws SQLException {
        UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(flavor, "DELETE FROM outbox_cc_lease WHERE name = ? AND owner = ?", work, self)
                        .update(conn));
    }
}
