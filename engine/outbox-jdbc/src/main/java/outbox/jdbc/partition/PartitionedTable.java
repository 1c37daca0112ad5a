package outbox.jdbc.partition;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.NavigableSet;
import outbox.jdbc.SqlDialect;
import outbox.jdbc.archive.EventArchive;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventPurger;
import outbox.spi.RetentionPurger;

/** The outbox table of one database, cut into days. What databases do differently is in here. Thread-safe. */
interface PartitionedTable {
    String tableName();

    SqlDialect dialect();

    /**
     * The days that have a partition.
     *
     * @throws IllegalStateException if the table is not partitioned
     */
    NavigableSet<LocalDate> days(Connection conn) throws SQLException;

    /**
     * Makes partitions for the days that have none.
     *
     * @param from the first day that is needed
     * @param through the last one
     */
    Creation create(ConnectionProvider connections, LocalDate from, LocalDate through) throws SQLException;

    /** What came of {@link #create}. */
    record Creation(List<LocalDate> created, List<String> notDone) {}

    /** What stands behind FROM to read one day alone. */
    String rowsOf(LocalDate day);

    /**
     * Makes a table of its own of a day, {@link #detachedName}, with all its rows, in a moment in which nobody can write
     * to it.
     *
     * @param evenPending {@code false} to leave the day as it is if it holds a row that is to be delivered
     * @return whether it is detached now
     */
    boolean detach(ConnectionProvider connections, LocalDate day, boolean evenPending) throws SQLException;

    /** Days that were detached, and not dropped since. */
    NavigableSet<LocalDate> detached(Connection conn) throws SQLException;

    /** The table that {@link #detach} makes. */
    String detachedName(LocalDate day);

    /** The first in a transaction that deletes rows. */
    default void prepareDeletion(Connection conn) throws SQLException {}

    /** Deletes terminal rows that are in none of the days. */
    RetentionPurger purgerOfRest(EventArchive archive);

    /** Deletes old rows that are in none of the days, whatever their state; on the whole table if it cannot tell. */
    EventPurger agePurgerOfRest(EventArchive archive);

    /** Whether the table could not be had because somebody uses it: nothing is wrong, it is tried again later. */
    boolean isBusy(SQLException e);
}
