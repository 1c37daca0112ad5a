package outbox.spring.boot;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A table of the outbox.
 *
 * @param purpose what it is for, for messages about a missing table
 * @param statements DDL of the table and its indexes
 */
record OutboxTable(String name, String purpose, List<String> statements) {
    String ddl() {
        return statements.stream().collect(Collectors.joining(";\n\n", "", ";\n"));
    }
}
