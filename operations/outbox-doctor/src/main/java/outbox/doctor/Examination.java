package outbox.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import outbox.dispatch.OutboxDispatcher;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.JdbcOutboxStores;

/** One run of the doctor: its options, the connection, and state shared by the checks. */
final class Examination {
    private final Doctor doctor;
    private final AbstractJdbcOutboxStore store;
    private final Catalog catalog;
    private final Ask ask;
    private final List<Unseen> unseen = new ArrayList<>();
    private final TableSeen table;
    private final Instant now;

    Examination(Doctor doctor, Connection conn) throws SQLException {
        this.doctor = doctor;
        this.store = JdbcOutboxStores.detect(conn.getMetaData().getURL()).withTable(doctor.table);
        this.catalog = Catalog.of(store.dialect());
        this.ask = new Ask(conn, doctor.queryTimeout, doctor.table, store.dialect());
        this.table = catalog.table(ask, doctor.table);
        this.now = ask.clock();
    }

    Doctor doctor() {
        return doctor;
    }

    DoctorLimits limits() {
        return doctor.limits;
    }

    Catalog catalog() {
        return catalog;
    }

    Ask ask() {
        return ask;
    }

    String tableName() {
        return doctor.table;
    }

    /** The name of its schema files. */
    String database() {
        return store.dialect().name();
    }

    TableSeen table() {
        return table;
    }

    /** Database time at the start. */
    Instant now() {
        return now;
    }

    boolean isOrdered() {
        return table.column("seq") != null
                || (doctor.outbox != null && doctor.outbox.settings().ordered());
    }

    ShippedTable shipped() {
        return ShippedTable.of(store, isOrdered());
    }

    Duration leaseTime() {
        if (doctor.outbox != null) {
            return doctor.outbox.settings().leaseTime();
        }
        return doctor.leaseTime == null ? OutboxDispatcher.DEFAULT_LEASE_TIME : doctor.leaseTime;
    }

    /** The source of {@link #leaseTime()}, for messages. */
    String leaseOrigin() {
        if (doctor.outbox != null) {
            return "of the running outbox";
        }
        return doctor.leaseTime == null ? "by default" : "as given";
    }

    boolean hasTable(String name) throws SQLException {
        return JdbcOutboxStores.hasTable(ask.connection(), name);
    }

    void couldNotSee(String what, String why) {
        unseen.add(new Unseen(what, why));
    }

    Diagnosis schemaOnly() throws SQLException {
        return diagnosis(List.of(), findings(List.of(SchemaDrift.CHECK, MissingIndexes.CHECK, ModuleTables.CHECK)));
    }

    Diagnosis everything() throws SQLException {
        if (table.isMissing()) {
            return schemaOnly();
        }
        ask.number("SELECT COUNT(*) FROM {table} WHERE 1 = 0"); // fails if the table may not be read
        List<Check> checks = new ArrayList<>(List.of(
                SchemaDrift.CHECK,
                MissingIndexes.CHECK,
                ModuleTables.CHECK,
                UnusedIndexes.CHECK,
                SearchIndex.CHECK,
                Connections.ISOLATION,
                Connections.CLOCK,
                LeaseLength.CHECK,
                Backlog.DEAD_LETTERS,
                HandlerNames.CHECK));
        if (!doctor.appendOnly) {
            checks.addAll(List.of(Backlog.EXPIRED_LEASES, Backlog.GROWTH));
        }
        checks.addAll(catalog.checks());
        List<Finding> findings = findings(checks);
        return diagnosis(new Answers(this).all(), findings);
    }

    private List<Finding> findings(List<Check> checks) {
        List<Finding> findings = new ArrayList<>();
        for (Check check : checks) {
            try {
                findings.addAll(check.look().at(this));
            } catch (SQLException e) {
                couldNotSee(check.what(), String.valueOf(e.getMessage()).strip());
            }
        }
        findings.sort(Comparator.comparing(Finding::severity).reversed());
        return findings;
    }

    private Diagnosis diagnosis(List<Answer> answers, List<Finding> findings) throws SQLException {
        return new Diagnosis(
                doctor.clock.instant(),
                store.name(),
                ask.connection().getMetaData().getDatabaseProductVersion(),
                doctor.table,
                answers,
                findings,
                unseen);
    }

    /** A human-readable duration. */
    static String text(@Nullable Duration duration) {
        if (duration == null) {
            return "unknown";
        }
        if (duration.compareTo(Duration.ofMinutes(2)) < 0) {
            return String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
        }
        return duration.toHours() < 2 ? duration.toMinutes() + " min" : duration.toHours() + " h";
    }

    /** A count that may have stopped at a limit. */
    static String capped(long count, long limit) {
        return count < limit ? Long.toString(count) : count + " or more";
    }
}
