package outbox.spring.boot;

/** A table is not there and nobody may create it. */
final class MissingTableException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String migrations;
    private final String ddl;

    MissingTableException(String table, String why, String migrations, String ddl) {
        super("table " + table + " does not exist; " + why);
        this.migrations = migrations;
        this.ddl = ddl;
    }

    /** Where on the class path Flyway finds it. */
    String migrations() {
        return migrations;
    }

    String ddl() {
        return ddl;
    }
}
