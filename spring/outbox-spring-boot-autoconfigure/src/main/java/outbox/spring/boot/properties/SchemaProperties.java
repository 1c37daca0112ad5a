package outbox.spring.boot.properties;

/** Tables at startup. */
public class SchemaProperties {
    /**
     * How to create or check the tables at startup. With auto, missing tables are created in an embedded database; in
     * others they are migrated by the application's own Flyway or Liquibase in a separate history, or only checked.
     */
    private SchemaMode mode = SchemaMode.AUTO;

    public SchemaMode getMode() {
        return mode;
    }

    public void setMode(SchemaMode mode) {
        this.mode = mode;
    }

    /** How tables are created or checked at startup. */
    public enum SchemaMode {
        /**
         * Creates missing tables in an embedded database. Elsewhere uses Flyway or Liquibase if the application migrates
         * the same database with it, and checks the tables otherwise.
         */
        AUTO,
        /** Creates missing tables in any database. */
        ALWAYS,
        /** Creates and upgrades all tables with Flyway, in a separate history: {@code outbox_schema_history}. */
        FLYWAY,
        /** Creates and upgrades all tables with Liquibase, in a separate history: {@code outbox_databasechangelog}. */
        LIQUIBASE,
        /** Creates nothing; refuses to start if a table or column is missing. */
        VALIDATE,
        /** Creates nothing and checks only what delivery cannot do without. */
        NEVER
    }
}
