package outbox.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.TableNames;

/**
 * Checks an outbox table and its database: answers the five {@link Question}s and lists findings, each with its fix. It
 * queries the database and, if given, the running {@link Outbox}; what cannot be determined is reported as unknown.
 *
 * <p>All statements are SELECTs with a timeout that read a bounded number of rows, so that large and busy tables can be
 * checked. The only exception is opt-in: {@link #writeProbe}.
 *
 * <pre>{@code
 * Diagnosis diagnosis = Doctor.of(dataSource).outbox(outbox).examine();
 * System.out.print(diagnosis.toText());
 * }</pre>
 *
 * <p>Not thread-safe; an examination takes as long as {@link #sampleTime} and a few short queries.
 */
public final class Doctor {
    /** Default query timeout; a check that exceeds it is reported as not run. */
    public static final Duration DEFAULT_QUERY_TIMEOUT = Duration.ofSeconds(5);
    /** Default time between the two samples of the backlog. */
    public static final Duration DEFAULT_SAMPLE_TIME = Duration.ofSeconds(2);

    final DataSource dataSource;
    final Map<Question, Answer> observed = new EnumMap<>(Question.class);
    final List<ModuleTables.Module> modules = new ArrayList<>();

    String table = TableNames.DEFAULT_TABLE;
    String consumptionTable = "outbox_consumption";
    String inboxTable = "inbox_event";
    Duration queryTimeout = DEFAULT_QUERY_TIMEOUT;
    Duration sampleTime = DEFAULT_SAMPLE_TIME;
    DoctorLimits limits = DoctorLimits.defaults();
    InstantSource clock = InstantSource.system();

    boolean appendOnly;

    @Nullable
    Outbox outbox;

    @Nullable
    Duration leaseTime;

    @Nullable
    ListenerTimes listenerTimes;

    @Nullable
    Predicate<String> ownedHandlers;

    @Nullable
    WriteProbe writeProbe;

    private Doctor(DataSource dataSource) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    }

    /** On the default table {@value TableNames#DEFAULT_TABLE}. */
    public static Doctor of(DataSource dataSource) {
        return new Doctor(dataSource);
    }

    /** @param tableName {@code table} or {@code schema.table} */
    public Doctor table(String tableName) {
        this.table = TableNames.validate(tableName);
        return this;
    }

    /** Table of handler progress; default {@code outbox_consumption}. */
    public Doctor consumptionTable(String tableName) {
        this.consumptionTable = TableNames.validate(tableName);
        return this;
    }

    /** Table of received messages; default {@code inbox_event}. It need not exist. */
    public Doctor inboxTable(String tableName) {
        this.inboxTable = TableNames.validate(tableName);
        return this;
    }

    /**
     * Also compares the tables of another module with their DDL.
     *
     * @param name the name of the module, for messages
     * @param required {@code false} if it is fine that none of the tables exists, because the module is not used
     */
    public Doctor module(String name, OutboxSchema schema, boolean required) {
        modules.add(new ModuleTables.Module(name, schema.statements(), required));
        return this;
    }

    /** The outbox that runs in this process on this table: its settings and its writer are checked too. */
    public Doctor outbox(Outbox outbox) {
        this.outbox = Objects.requireNonNull(outbox, "outbox");
        return this;
    }

    /** Events are delivered by CDC, which does not change rows: pending rows are no backlog and are not checked. */
    public Doctor appendOnly() {
        this.appendOnly = true;
        return this;
    }

    /** The lease time of the nodes, if no {@link #outbox} is given; otherwise the default is assumed. */
    public Doctor leaseTime(Duration leaseTime) {
        if (leaseTime.isNegative() || leaseTime.isZero()) {
            throw new IllegalArgumentException("leaseTime must be positive: " + leaseTime);
        }
        this.leaseTime = leaseTime;
        return this;
    }

    /** Listener durations of this process; without it, recorded failed attempts are used. */
    public Doctor listenerTimes(ListenerTimes listenerTimes) {
        this.listenerTimes = Objects.requireNonNull(listenerTimes, "listenerTimes");
        return this;
    }

    /** The names of all existing handlers: events that wait for any other handler are reported. */
    public Doctor handlers(Collection<String> names) {
        return handlers(Set.copyOf(names)::contains);
    }

    /** Like {@link #handlers(Collection)}, for names that cannot be listed, such as former names. */
    public Doctor handlers(Predicate<String> isOwned) {
        this.ownedHandlers = Objects.requireNonNull(isOwned, "isOwned");
        return this;
    }

    /** An answer that the database cannot show, for instance that duplicates are detected in Redis. */
    public Doctor observed(Answer answer) {
        observed.put(answer.question(), answer);
        return this;
    }

    /**
     * Writes one event in a transaction that is rolled back, and checks from another connection that it was part of it:
     * proof for {@link Question#SAME_TRANSACTION}. The event has the type {@value WriteProbe#TYPE} and is due in a day,
     * so that it is not delivered; a row left behind by a wrong configuration is deleted.
     */
    public Doctor writeProbe(OutboxWriter writer, RolledBackTransaction transaction) {
        this.writeProbe = new WriteProbe(writer, transaction);
        return this;
    }

    /** Default {@link DoctorLimits#defaults()}. */
    public Doctor limits(DoctorLimits limits) {
        this.limits = Objects.requireNonNull(limits, "limits");
        return this;
    }

    /** Default 5 s. Rounded up to seconds. */
    public Doctor queryTimeout(Duration queryTimeout) {
        if (queryTimeout.isNegative() || queryTimeout.isZero()) {
            throw new IllegalArgumentException("queryTimeout must be positive: " + queryTimeout);
        }
        this.queryTimeout = queryTimeout;
        return this;
    }

    /**
     * Time between the two samples of the backlog; default 2 s. With zero there is one sample and growth is not
     * detected.
     */
    public Doctor sampleTime(Duration sampleTime) {
        if (sampleTime.isNegative()) {
            throw new IllegalArgumentException("sampleTime must not be negative: " + sampleTime);
        }
        this.sampleTime = sampleTime;
        return this;
    }

    /** Clock of this process; default: the system clock. */
    public Doctor clock(InstantSource clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /**
     * Runs all checks.
     *
     * @throws CheckFailedException if the database is unreachable or not supported, or the table may not be read
     */
    public Diagnosis examine() {
        return connected(Examination::everything);
    }

    /**
     * Only compares the table, and those of {@linkplain #module modules}, with the shipped schema.
     *
     * @throws CheckFailedException if the database is unreachable or not supported
     */
    public Diagnosis examineSchema() {
        return connected(Examination::schemaOnly);
    }

    private interface Look {
        Diagnosis at(Examination examination) throws SQLException;
    }

    private Diagnosis connected(Look look) {
        try (Connection conn = dataSource.getConnection()) {
            boolean autoCommit = conn.getAutoCommit();
            if (!autoCommit) {
                conn.setAutoCommit(true);
            }
            try {
                return look.at(new Examination(this, conn));
            } finally {
                if (!autoCommit) {
                    conn.setAutoCommit(false);
                }
            }
        } catch (SQLException e) {
            throw new CheckFailedException("cannot check table " + table + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException e) { // an unsupported database
            throw new CheckFailedException("cannot check table " + table + ": " + e.getMessage(), e);
        }
    }
}
