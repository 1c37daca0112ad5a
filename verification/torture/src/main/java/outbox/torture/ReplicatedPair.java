package outbox.torture;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import outbox.testing.server.EmbeddedServer;

/**
 * A primary and a standby that follows it over a {@link Link}. What a failover manager does is done by hand: cut the old
 * primary off, let the standby apply what it has received, promote it. Not thread-safe.
 */
public abstract class ReplicatedPair implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int POLL_MILLIS = 50;
    /** How many times in a row the standby must have nothing left to apply: what is still in its sockets comes within that time. */
    private static final int QUIET_POLLS = 5;

    private final Replication replication;
    private final EmbeddedServer primary;
    private final EmbeddedServer standby;
    private final Link link;

    ReplicatedPair(Replication replication, EmbeddedServer primary, EmbeddedServer standby, Link link) {
        this.replication = replication;
        this.primary = primary;
        this.standby = standby;
        this.link = link;
    }

    static ReplicatedPair start(String database, Replication replication) throws Exception {
        return switch (database) {
            case "postgresql" -> PostgresPair.start(replication);
            case "mariadb" -> MariaDbPair.start(replication);
            default -> throw new IllegalArgumentException("no replicated pair of " + database);
        };
    }

    public Replication replication() {
        return replication;
    }

    /** The server that was the primary at first; also after the failover. */
    public EmbeddedServer primary() {
        return primary;
    }

    public EmbeddedServer standby() {
        return standby;
    }

    /** From now on the standby receives nothing; with asynchronous replication nobody notices. */
    public void cutReplication() {
        link.cut();
    }

    /** Cuts the old primary off, and waits until the standby has applied what it received. */
    void isolateStandby() throws SQLException, InterruptedException {
        cutReplication();
        int quiet = 0;
        long end = System.nanoTime() + SOON.toNanos();
        while (quiet < QUIET_POLLS) {
            quiet = hasAppliedAll() ? quiet + 1 : 0;
            pause(end, "the standby to apply what it has received");
        }
    }

    /** Lets the application in, under the account of {@link #username()}. */
    abstract void admit(String database) throws SQLException;

    /** Both servers in one URL, as users write it. */
    abstract String jdbcUrl(String database);

    /** The parameter to append to {@link #jdbcUrl}. */
    abstract String socketTimeout(Duration timeout);

    abstract String username();

    abstract String password();

    abstract boolean hasAppliedAll() throws SQLException;

    /** Makes the standby a primary; returns when it takes writes. */
    abstract void promote() throws SQLException;

    static void execute(EmbeddedServer server, String database, String... statements) throws SQLException {
        try (Connection conn = server.dataSource(database).getConnection();
                Statement statement = conn.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Whether a query returns a row whose column has this value. */
    static boolean answers(EmbeddedServer server, String database, String query, String column, String value)
            throws SQLException {
        try (Connection conn = server.dataSource(database).getConnection();
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() && String.valueOf(row.getString(column)).startsWith(value);
        }
    }

    /** Something that becomes true. */
    interface Condition {
        boolean holds() throws SQLException;
    }

    static void await(String what, Condition condition) throws SQLException, InterruptedException {
        long end = System.nanoTime() + SOON.toNanos();
        while (!condition.holds()) {
            pause(end, what);
        }
    }

    private static void pause(long end, String what) throws InterruptedException {
        if (System.nanoTime() - end > 0) {
            throw new IllegalStateException("waited " + SOON.toSeconds() + " s in vain for " + what);
        }
        Thread.sleep(POLL_MILLIS);
    }

    @Override
    public void close() throws IOException {
        primary.kill(); // it may be frozen
        primary.close();
        standby.close();
        link.close();
    }
}
