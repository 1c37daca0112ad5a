package outbox.spring.boot;

import java.util.List;
import java.util.stream.Collectors;

/** Tables are missing and {@code outbox.schema.mode} does not create them. Lists all of them. */
final class MissingTablesException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final transient List<OutboxTable> tables;

    MissingTablesException(List<OutboxTable> tables) {
        super(tables.stream()
                .map(table -> "table " + table.name() + " does not exist; " + table.purpose())
                .collect(Collectors.joining("\n")));
        this.tables = List.copyOf(tables);
    }

    /** The DDL of all of them. */
    String ddl() {
        return tables.stream().map(OutboxTable::ddl).distinct().collect(Collectors.joining("\n"));
    }
}
