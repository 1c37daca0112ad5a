package outbox.doctor;

import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** PostgreSQL, including partitioned tables. */
final class PostgresCatalog extends Catalog {
    private static final String COLUMNS = """
            SELECT a.attname, format_type(a.atttypid, a.atttypmod), NOT a.attnotnull,
              a.atthasdef OR a.attidentity <> '' OR a.attgenerated <> '',
              CASE WHEN c.collname = 'default'
                THEN (SELECT datcollate FROM pg_database WHERE datname = current_database()) ELSE c.collname END
            FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation
            WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped
            ORDER BY a.attnum
            """;
    /** Reads of an index on a partitioned table are counted on its partitions. */
    private static final String INDEXES = """
            SELECT i.relname, ARRAY(SELECT pg_get_indexdef(x.indexrelid, k, true)
                FROM generate_series(1, x.indnkeyatts) k),
              pg_get_expr(x.indpred, x.indrelid), x.indisunique, x.indisvalid,
              (SELECT COALESCE(SUM(s.idx_scan), 0) FROM pg_stat_user_indexes s WHERE s.indexrelid = x.indexrelid
                OR s.indexrelid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = x.indexrelid))
            FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
            WHERE x.indrelid = to_regclass(?)
            ORDER BY i.relname
            """;

    private static final Pattern TYPE = Pattern.compile("([a-z ]+?)(?:\\((\\d+)\\))?( with.*)?");

    @Override
    TableSeen table(Ask ask, String table) throws SQLException {
        List<TableSeen.Column> columns = ask.list(
                COLUMNS,
                row -> {
                    Matcher type = TYPE.matcher(row.getString(2));
                    boolean plain = type.matches();
                    return new TableSeen.Column(
                            row.getString(1),
                            plain ? type.group(1) + (type.group(3) == null ? "" : type.group(3)) : row.getString(2),
                            plain && type.group(2) != null ? Integer.valueOf(type.group(2)) : null,
                            row.getBoolean(3),
                            row.getBoolean(4),
                            row.getString(5),
                            null);
                },
                table);
        List<TableSeen.Index> indexes = ask.list(
                INDEXES,
                row -> new TableSeen.Index(
                        row.getString(1),
                        strings(row.getArray(2)),
                        TableSeen.statuses(row.getString(3)),
                        row.getBoolean(4),
                        row.getBoolean(5),
                        row.getLong(6),
                        null),
                table);
        boolean partitioned = ask.text("SELECT relkind FROM pg_class WHERE oid = to_regclass(?)", table)
                .equals("p");
        return new TableSeen(columns, indexes, partitioned);
    }

    private static List<String> strings(Array array) throws SQLException {
        return Arrays.stream((Object[]) array.getArray()).map(String::valueOf).toList();
    }

    @Override
    List<Check> checks() {
        return PostgresChecks.ALL;
    }

    /** READ UNCOMMITTED is READ COMMITTED here. */
    @Override
    Set<Integer> unsuitableLevels() {
        return Set.of(Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE);
    }

    @Override
    String online(String createIndex) {
        return createIndex.replace("CREATE INDEX", "CREATE INDEX CONCURRENTLY");
    }

    @Override
    Evidence transactional(Ask ask, String table) {
        return new Evidence(true, "every PostgreSQL table is transactional");
    }
}
