package outbox.cdc;

import outbox.jdbc.OutboxSchema;

/**
 * The DDL of the tables that hold a relay's state, to print or to run. Applications with migrations use the same files
 * from {@code outbox/cdc/migration/<database>}, with a separate schema history.
 */
public final class CdcSchema {
    private CdcSchema() {}

    /** @param database {@code mysql}, {@code mariadb} or {@code postgresql} */
    public static OutboxSchema of(String database) {
        return OutboxSchema.ofResource(CdcSchema.class, "/outbox/cdc/schema/" + database + ".sql");
    }
}
