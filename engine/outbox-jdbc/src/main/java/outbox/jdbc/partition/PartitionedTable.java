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

/** The partitioned outbox table of one database; covers the differences between databases. Thread-safe. */
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
     * Creates missing partitions.
     *
     * @param from the first day that is needed
     * @param through the last one
     */
    Creation create(ConnectionProvider connections, LocalDate from, LocalDate through) throws SQLException;

    /** Result of {@link #create}. */
    record Creation(List<LocalDate> created, List<String> notDone) {}

    /** FROM clause to read one partition. */
    String rowsOf(LocalDate day);

    /**
     * Turns a partition into a separate table, {@link #detachedName}, with all its rows, while writes are blocked.
     *
     * @param evenPending {@code false} to keep the partition if it contains pending rows
     * @return whether it is detached now
     */
    boolean detach(ConnectionProvider connections, LocalDate day, boolean evenPending) throws SQLException;

    /** Detached partitions that were not dropped yet. */
    NavigableSet<LocalDate> detached(Connection conn) throws SQLException;

    /** The table created by {@link #detach}. */
    String detachedName(LocalDate day);

    /** Called first in a transaction that deletes rows. */
    default void prepareDeletion(Connection conn) throws SQLException {}

    /** Deletes terminal rows outside of the daily partitions. */
    RetentionPurger purgerOfRest(EventArchive archive);

    /** Deletes old rows outside of the daily partitions, whatever their status; of the whole table if unknown. */
    EventPurger agePurgerOfRest(EventArchive archive);

    /** Whether the table lock timed out because the table is in use; retried later. */
    boolean isBusy(SQLException e);
}
