package outbox.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import outbox.jdbc.SqlDialect;

/** What the doctor must know of a database: how it describes tables, and what can be wrong with it only. */
abstract class Catalog {
    private static final Map<String, String> SYNONYMS = Map.ofEntries(
            Map.entry("character varying", "varchar"),
            Map.entry("integer", "int"),
            Map.entry("int4", "int"),
            Map.entry("int2", "smallint"),
            Map.entry("int8", "bigint"),
            Map.entry("timestamp with time zone", "timestamptz"),
            Map.entry("timestamp without time zone", "timestamp"),
            Map.entry("character large object", "text"),
            Map.entry("clob", "text"));

    /** By what the dialect calls itself; each of them reads system tables that no other database has. */
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

    /** The table, or one without columns if there is none. */
    abstract TableSeen table(Ask ask, String table) throws SQLException;

    /** What can be wrong with this database only. */
    abstract List<Check> checks();

    /** One name for types that are the same. */
    String canonical(String type) {
        return SYNONYMS.getOrDefault(type, type);
    }

    /** {@code CREATE INDEX} that writers do not have to wait for. */
    String online(String createIndex) {
        return createIndex;
    }

    String dropIndex(String table, String index) {
        int dot = table.indexOf('.');
        return "DROP INDEX " + table.substring(0, dot + 1) + index + ";";
    }

    /** What makes an index that is not used by queries a used one. */
    String repair(String table, TableSeen.Index broken, String create) {
        return dropIndex(table, broken.name()) + "\n" + create;
    }

    /** Isolation levels, by {@link Connection}'s numbers, that the engine's connections should not be at. */
    abstract Set<Integer> unsuitableLevels();

    /** Whether rows of the table can be rolled back; the evidence in words. */
    abstract Evidence transactional(Ask ask, String table) throws SQLException;

    record Evidence(boolean holds, String words) {}
}
