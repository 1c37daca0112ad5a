package outbox.doctor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.store.AbstractJdbcOutboxStore;

/** A table as defined by the shipped DDL, parsed from that DDL so that both always agree. */
final class ShippedTable {
    private static final Pattern TABLE = Pattern.compile("CREATE TABLE (\\S+) \\(.*", Pattern.DOTALL);
    private static final Pattern COLUMN = Pattern.compile("\\s*(\\w+)\\s+(\\w+)(?:\\((\\d+)\\))?(.*?),?\\s*");
    private static final Pattern ADDED = Pattern.compile("ALTER TABLE \\S+ ADD COLUMN (.*)");
    private static final Pattern INDEX =
            Pattern.compile("CREATE INDEX (\\w+) ON \\S+ \\(([^)]*)\\)(?: WHERE (.*))?", Pattern.DOTALL);

    private static final String ZONED = " WITH TIME ZONE";

    private final List<TableSeen.Column> columns = new ArrayList<>();
    private final List<TableSeen.Index> indexes = new ArrayList<>();
    private final Map<String, String> definitions = new LinkedHashMap<>();

    private ShippedTable() {}

    /** @param ordered whether the table is for ordered delivery, which has one more column */
    static ShippedTable of(AbstractJdbcOutboxStore store, boolean ordered) {
        ShippedTable shipped = new ShippedTable();
        store.schema().statements().forEach(shipped::add);
        if (ordered) {
            store.orderedSchema().statements().forEach(shipped::add);
        }
        return shipped;
    }

    /** The tables of another module by name, in the order of its DDL. */
    static Map<String, ShippedTable> tables(List<String> statements) {
        Map<String, ShippedTable> tables = new LinkedHashMap<>();
        for (String statement : statements) {
            Matcher table = TABLE.matcher(statement);
            if (table.matches()) {
                tables.computeIfAbsent(table.group(1), name -> new ShippedTable())
                        .add(statement);
            }
        }
        return tables;
    }

    private void add(String statement) {
        Matcher index = INDEX.matcher(statement);
        Matcher added = ADDED.matcher(statement);
        if (statement.startsWith("CREATE TABLE")) {
            String body = statement.substring(statement.indexOf('(') + 1, statement.indexOf("\n)"));
            body.strip()
                    .lines()
                    .filter(line -> !line.strip().startsWith("PRIMARY KEY")
                            && !line.strip().startsWith("UNIQUE"))
                    .forEach(this::column);
        } else if (added.matches()) {
            column(added.group(1));
        } else if (index.matches()) {
            indexes.add(new TableSeen.Index(
                    index.group(1),
                    Arrays.stream(index.group(2).split(",", -1))
                            .map(String::strip)
                            .toList(),
                    TableSeen.statuses(index.group(3)),
                    false,
                    true,
                    null,
                    statement));
        } else {
            throw new IllegalStateException(
                    "the doctor cannot read this statement of the shipped schema: " + statement);
        }
    }

    private void column(String line) {
        Matcher matcher = COLUMN.matcher(line);
        if (!matcher.matches()) {
            throw new IllegalStateException("the doctor cannot read this column of the shipped schema: " + line);
        }
        String rest = matcher.group(4);
        String name = matcher.group(1);
        columns.add(new TableSeen.Column(
                name,
                matcher.group(2).toLowerCase(Locale.ROOT) + (rest.startsWith(ZONED) ? " with time zone" : ""),
                matcher.group(3) == null ? null : Integer.valueOf(matcher.group(3)),
                !(rest.contains("NOT NULL") || rest.contains("PRIMARY KEY") || rest.contains("IDENTITY")),
                true,
                null,
                null));
        definitions.put(name, line.strip().replaceAll(",$", ""));
    }

    List<TableSeen.Column> columns() {
        return columns;
    }

    List<TableSeen.Index> indexes() {
        return indexes;
    }

    /** The definition of the column in the DDL. */
    String definition(String column) {
        @Nullable String definition = definitions.get(column);
        if (definition == null) {
            throw new IllegalArgumentException("the shipped schema has no column " + column);
        }
        return definition;
    }
}
