package outbox.control.source;

import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import outbox.control.db.Flavor;
import outbox.jdbc.TableNames;
import outbox.jdbc.store.AbstractJdbcOutboxStore;

/** One application whose outbox table the control center shows. Immutable and thread-safe. */
public final class Application {
    /** That of outbox-idempotency. */
    public static final String DEFAULT_CONSUMPTION_TABLE = "outbox_consumption";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

    private final String name;
    private final DataSource dataSource;
    private final String table;
    private final String consumptionTable;
    private final Flavor flavor;
    private final AbstractJdbcOutboxStore store;

    private Application(String name, DataSource dataSource, String table, String consumptionTable, Flavor flavor) {
        this.name = name;
        this.dataSource = dataSource;
        this.table = table;
        this.consumptionTable = consumptionTable;
        this.flavor = flavor;
        this.store = flavor.store(table);
    }

    /** On the default table {@value TableNames#DEFAULT_TABLE}. Takes a connection to find the database out. */
    public static Application of(String name, DataSource dataSource) {
        return of(name, dataSource, TableNames.DEFAULT_TABLE);
    }

    /**
     * @param name letters, digits, dots, underscores and hyphens: it is part of URLs
     * @param table {@code table} or {@code schema.table}
     */
    public static Application of(String name, DataSource dataSource, String table) {
        Objects.requireNonNull(dataSource, "dataSource");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("not a name for an application: '" + name
                    + "'; allowed are 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first");
        }
        return new Application(
                name, dataSource, TableNames.validate(table), DEFAULT_CONSUMPTION_TABLE, Flavor.detect(dataSource));
    }

    /** The same with another table of the progress of its handlers than {@value #DEFAULT_CONSUMPTION_TABLE}. */
    public Application withConsumptionTable(String otherTable) {
        return new Application(name, dataSource, table, TableNames.validate(otherTable), flavor);
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
