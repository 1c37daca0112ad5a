package outbox.idempotency.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableNames;

/**
 * The DDL of the two tables, to print or to run. Applications with migrations use the same files from {@code
 * outbox/idempotency/migration/<database>}. Immutable and thread-safe.
 */
public final class IdempotencySchema {
    private final String ddl;

    private IdempotencySchema(String ddl) {
        this.ddl = ddl;
    }

    /** @param database {@code h2}, {@code mysql}, {@code mariadb} or {@code postgresql} */
    public static IdempotencySchema of(String database) {
        return new IdempotencySchema(read(database));
    }

    /**
     * With another name for the handler progress table: each outbox table needs its own.
     *
     * @param consumptionTable {@code table} or {@code schema.table}
     */
    public static IdempotencySchema of(String database, String consumptionTable) {
        String table = TableNames.validate(consumptionTable);
        String usual = JdbcEventConsumptionTracker.DEFAULT_TABLE;
        return new IdempotencySchema(read(database)
                .replaceAll("\\b" + usual + "_", OutboxSchema.indexName(table, ""))
                .replaceAll("\\b" + usual + "\\b", table));
    }

    private static String read(String database) {
        String resource = "/outbox/idempotency/schema/" + Dialects.of(database).name() + ".sql";
        try (InputStream in = IdempotencySchema.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalArgumentException(
                        "no tables for database '" + database + "': there is no " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + resource, e);
        }
    }

    /** All of it as one text, comments included. */
    public String ddl() {
        return ddl;
    }

    /** The statements one by one, without comments and semicolons. */
    public List<String> statements() {
        String code = ddl.lines().filter(line -> !line.strip().startsWith("--")).collect(Collectors.joining("\n"));
        return Arrays.stream(code.split(";", -1))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    /** Runs the statements; the tables must not exist yet. */
    public void apply(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements()) {
                statement.execute(sql);
            }
        }
    }
}
