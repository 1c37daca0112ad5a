package outbox.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import outbox.jdbc.SqlDialect;

/** What the doctor needs to know about a database: its catalog and its specific checks. */
abstract class Catalog {
    private static final Map<String, String> SYNONYMS = Map.ofEntries(
            Map.entry("character varying", "varchar"),
            Map.entry("character", "char"),
            Map.entry("binary varying", "varbinary"),
            Map.entry("double precision", "double"),
            Map.entry("integer", "int"),
            Map.entry("int4", "int"),
            Map.entry("int2", "smallint"),
            Map.entry("int8", "bigint"),
            Map.entry("timestamp with time zone", "timestamptz"),
            Map.entry("timestamp without time zone", "timestamp"),
            Map.entry("character large object", "text"),
            Map.entry("clob", "text"));

    /** By the name of the dialect; each catalog reads system tables specific to its database. */
    static Catalog of(SqlDialect dialect) {
        return switch (dialect.name()) {
            case "h2" -> new H2Catalog();
            case "postgresql" -> new PostgresCatalog();
            case "mysql" -> new MySqlCatalog("IS_VISIBLE", "YES", "VISIBLE");
            case "mariadb" -> new MySqlCatalog("IGNORED", "NO", "NOT IGNORED");
            default ->
                throw new IllegalArgumentException("the doctor cannot read the system tables of " + dialect
                        + "; `outbox check` and the health of the outbox do not need them");
        };
    }

    /** The table; without columns if it does not exist. */
    abstract TableSeen table(Ask ask, String table) throws SQLException;

    /** Checks specific to this database. */
    abstract List<Check> checks();

    /** The canonical name of a type with several names. */
    String canonical(String type) {
        return SYNONYMS.getOrDefault(type, type);
    }

    /** {@code CREATE INDEX} that does not block writers. */
    String online(String createIndex) {
        return createIndex;
    }

    String dropIndex(String table, String index) {
        int dot = table.indexOf('.');
        return "DROP INDEX " + table.substring(0, dot + 1) + index + ";";
    }

    /** The statement that makes an unusable index usable. */
    String repair(String table, TableSeen.Index broken, String create) {
        return dropIndex(table, broken.name()) + "\n" + create;
    }

    /** Isolation levels, as constants of {@link Connection}, that the engine should not use. */
    abstract Set<Integer> unsuitableLevels();

    /** Whether the table is transactional, with the evidence. */
    abstract Evidence transactional(Ask ask, String table) throws SQLException;

    record Evidence(boolean holds, String words) {}
}
