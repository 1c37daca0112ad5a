package outbox.control.source;

import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.TableNames;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.node.db.Flavor;

/** One application whose outbox table the control center shows. Immutable and thread-safe. */
public final class Application {
    /** Default table of outbox-idempotency. */
    public static final String DEFAULT_CONSUMPTION_TABLE = "outbox_consumption";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private final String name;
    private final DataSource dataSource;
    private final String table;
    private final String consumptionTable;
    private final Flavor flavor;
    private final AbstractJdbcOutboxStore store;
    private final HandlerRetries progress;
    private final boolean deliveredFromLog;
    private final @Nullable ScheduledJobs jobs;

    private Application(
            String name,
            DataSource dataSource,
            String table,
            String consumptionTable,
            Flavor flavor,
            HandlerRetries progress,
            boolean deliveredFromLog,
            @Nullable ScheduledJobs jobs) {
        this.name = name;
        this.dataSource = dataSource;
        this.table = table;
        this.consumptionTable = consumptionTable;
        this.flavor = flavor;
        this.store = flavor.store(table);
        this.progress = progress;
        this.deliveredFromLog = deliveredFromLog;
        this.jobs = jobs;
    }

    /** On the default table {@value TableNames#DEFAULT_TABLE}. Opens a connection to detect the database. */
    public static Application of(String name, DataSource dataSource) {
        return of(name, dataSource, TableNames.DEFAULT_TABLE);
    }

    /** @throws IllegalArgumentException if the name cannot be part of URLs */
    public static void checkName(String name) {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("invalid application name '" + name
                    + "'; allowed are 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first");
        }
    }

    /**
     * @param name letters, digits, dots, underscores and hyphens, because it is part of URLs
     * @param table {@code table} or {@code schema.table}
     */
    public static Application of(String name, DataSource dataSource, String table) {
        Objects.requireNonNull(dataSource, "dataSource");
        checkName(name);
        Flavor flavor = Flavor.detect(dataSource);
        return new Application(
                name,
                dataSource,
                TableNames.validate(table),
                DEFAULT_CONSUMPTION_TABLE,
                flavor,
                new TableProgress(flavor, DEFAULT_CONSUMPTION_TABLE),
                false,
                null);
    }

    /** The same with another handler progress table than {@value #DEFAULT_CONSUMPTION_TABLE}. */
    public Application withConsumptionTable(String otherTable) {
        String valid = TableNames.validate(otherTable);
        return new Application(
                name, dataSource, table, valid, flavor, new TableProgress(flavor, valid), deliveredFromLog, jobs);
    }

    /** The same with handler progress that is not, or not only, stored in a table: in Redis, for example. */
    public Application withProgress(HandlerRetries otherProgress) {
        return new Application(
                name,
                dataSource,
                table,
                consumptionTable,
                flavor,
                Objects.requireNonNull(otherProgress, "progress"),
                deliveredFromLog,
                jobs);
    }

    /**
     * The same for events delivered by CDC: see {@code outbox-cdc}. Their rows stay NEW, whether delivered or not.
     */
    public Application withDeliveryFromLog() {
        return new Application(name, dataSource, table, consumptionTable, flavor, progress, true, jobs);
    }

    /** The same with jobs of a scheduler, which the control center lists, starts, stops and triggers. */
    public Application withJobs(ScheduledJobs otherJobs) {
        return new Application(
                name,
                dataSource,
                table,
                consumptionTable,
                flavor,
                progress,
                deliveredFromLog,
                Objects.requireNonNull(otherJobs, "jobs"));
    }

    /** Jobs of a scheduler; {@code null} if none is configured. */
    public @Nullable ScheduledJobs jobs() {
        return jobs;
    }

    /** Whether the table does not show which events were delivered. */
    public boolean isDeliveredFromLog() {
        return deliveredFromLog;
    }

    public String name() {
        return name;
    }

    public DataSource dataSource() {
        return dataSource;
    }

    public String table() {
        return table;
    }

    public String consumptionTable() {
        return consumptionTable;
    }

    /** The handler progress that a retry resets. */
    public HandlerRetries progress() {
        return progress;
    }

    /** For the other packages of this module. */
    public Flavor flavor() {
        return flavor;
    }

    /** For the other packages of this module. */
    public AbstractJdbcOutboxStore store() {
        return store;
    }

    @Override
    public String toString() {
        return name;
    }
}
