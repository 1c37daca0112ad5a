package outbox.cdc;

import outbox.jdbc.OutboxSchema;

/**
 * The DDL of the tables a relay keeps its state in, to print or to run. Applications with migrations take the same text
 * from {@code outbox/cdc/migration/<database>}, with a schema history of its own.
 */
public final class CdcSchema {
    private CdcSchema() {}

    /** @param database {@code mysql}, {@code mariadb} or {@code postgresql} */
    public static OutboxSchema of(String database) {
        return OutboxSchema.ofResource(CdcSchema.class, "/outbox/cdc/schema/" + database + ".sql");
    }
}
