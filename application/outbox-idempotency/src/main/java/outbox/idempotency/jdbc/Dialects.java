package outbox.idempotency.jdbc;

import outbox.jdbc.SqlDialect;
import outbox.jdbc.store.JdbcOutboxStores;

/** The supported databases: those with an outbox store. */
final class Dialects {
    private Dialects() {}

    /** @throws IllegalArgumentException if there is no store of that name; the message lists the known names */
    static SqlDialect of(String database) {
        return JdbcOutboxStores.get(database).dialect().unprepared();
    }
}
