package outbox.idempotency.jdbc;

import outbox.jdbc.SqlDialect;
import outbox.jdbc.store.JdbcOutboxStores;

/** The databases whose tables this module can use: those that there is a store for. */
final class Tables {
    private Tables() {}

    /** @throws IllegalArgumentException if there is no store of that name; the message lists the known names */
    static SqlDialect dialect(String database) {
        return JdbcOutboxStores.get(database).dialect().unprepared();
    }
}
