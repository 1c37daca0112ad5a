package outbox.cli;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutboxStores;

/** A module with tables. The build copies their DDL from the module into this jar. */
enum SchemaModule {
    events(null),
    leases(null) {
        @Override
        OutboxSchema schema(Database database, String table) {
            return OutboxSchema.ofResource(OutboxSchema.class, "/outbox/schema/lease.sql");
        }
    },
    payloads(null) {
        @Override
        OutboxSchema schema(Database database, String table) {
            return OutboxSchema.of(database.name() + "-payload", table);
        }
    },
    idempotency("%s.sql"),
    cdc("%s.sql"),
    node("%s/V20261101000005__outbox_node.sql"),
    control("%s/V20261101000006__outbox_control.sql");

    private final @Nullable String file;

    SchemaModule(@Nullable String file) {
        this.file = file;
    }

    /** Databases with a shipped schema. */
    enum Database {
        h2,
        postgresql,
        mysql,
        mariadb;

        /** @throws IllegalArgumentException if there is none for this database */
        static Database of(String jdbcUrl) {
            return valueOf(JdbcOutboxStores.detect(jdbcUrl).name());
        }
    }

    static List<SchemaModule> availableOn(Database database) {
        return Arrays.stream(values())
                .filter(module -> module != cdc || database != Database.h2)
                .toList();
    }

    /**
     * @param table the event table
     * @throws IllegalArgumentException if the module does not support this database
     */
    OutboxSchema schema(Database database, String table) {
        if (file == null) {
            throw new IllegalArgumentException("the DDL of " + this + " depends on the options of its table");
        }
        return OutboxSchema.ofResource(
                SchemaModule.class, "/outbox/cli/schema/" + name() + "/" + file.formatted(database.name()));
    }
}
