package outbox.spring.boot.properties;

/** Tables at the start. */
public class SchemaProperties {
    /** How to create or check the tables at startup. */
    private SchemaMode mode = SchemaMode.EMBEDDED;

    public SchemaMode getMode() {
        return mode;
    }

    public void setMode(SchemaMode mode) {
        this.mode = mode;
    }

    /** What is done about tables at the start. */
    public enum SchemaMode {
        /** Creates missing tables in an embedded database, checks them elsewhere. */
        EMBEDDED,
        /** Creates missing tables in any database. */
        ALWAYS,
        /** Creates and upgrades all tables by Flyway, with a schema history of their own beside the application's. */
        FLYWAY,
        /** Creates nothing; refuses to start if a table or column is missing. */
        VALIDATE,
        /** Creates nothing and checks only what delivery cannot do without. */
        NEVER
    }
}
