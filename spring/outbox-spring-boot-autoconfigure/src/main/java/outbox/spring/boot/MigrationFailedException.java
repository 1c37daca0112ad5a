package outbox.spring.boot;

import outbox.spring.boot.properties.SchemaProperties.SchemaMode;

/** Flyway or Liquibase could not create or upgrade the tables. */
final class MigrationFailedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final SchemaMode tool;

    MigrationFailedException(SchemaMode tool, String message, Throwable cause) {
        super(message, cause);
        this.tool = tool;
    }

    SchemaMode tool() {
        return tool;
    }
}
