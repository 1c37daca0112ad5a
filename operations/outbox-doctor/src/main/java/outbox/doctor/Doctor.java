package outbox.doctor;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.Outbox;
import outbox.OutboxWriter;
import outbox.jdbc.TableNames;

/**
 * Looks at an outbox table and the database around it: answers the five {@link Question}s and lists what is wrong, each
 * with its fix. It asks the database and, where it is given the running {@link Outbox}, that too; what cannot be seen is
 * called unknown.
 *
 * <p>All statements are SELECTs with a timeout, and none reads more than a bounded number of rows, so that a large and busy
 * table may be examined. The one exception has to be asked for: {@link #writeProbe}.
 *
 * <pre>{@code
 * Diagnosis diagnosis = Doctor.of(dataSource).outbox(outbox).examine();
 * System.out.print(diagnosis.toText());
 * }</pre>
 *
 * <p>Not thread-safe; an examination takes as long as {@link #sampleTime} and a few short queries.
 */
public final class Doctor {
    /** How long a query may take; what takes longer is reported as not looked at. */
    public static final Duration DEFAULT_QUERY_TIMEOUT = Duration.ofSeconds(5);
    /** How far apart the two looks at the backlog are. */
    public static final Duration DEFAULT_SAMPLE_TIME = Duration.ofSeconds(2);

    final DataSource dataSource;
    final Map<Question, Answer> observed = new EnumMap<>(Question.class);

    String table = TableNames.DEFAULT_TABLE;
    String consumptionTable = "outbox_consumption";
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

    /** Where handlers keep what they consumed; default {@code outbox_consumption}. */
    public Doctor consumptionTable(String tableName) {
        this.consumptionTable = TableNames.validate(tableName);
        return this;
    }

    /** The outbox that runs in this process on this table: its settings and its writer are looked at. */
    public Doctor outbox(Outbox outbox) {
        this.outbox = Objects.requireNonNull(outbox, "outbox");
        return this;
    }

    /** The table is read by CDC, which marks no row: what is not marked is no backlog, and is not looked at. */
    public Doctor appendOnly() {
        this.appendOnly = true;
        return this;
    }

    /** The lease time of the nodes, where no {@link #outbox} tells it; else the default is assumed. */
    public Doctor leaseTime(Duration leaseTime) {
        if (leaseTime.isNegative() || leaseTime.isZero()) {
            throw new IllegalArgumentException("leaseTime must be positive: " + leaseTime);
        }
        this.leaseTime = leaseTime;
        return this;
    }

    /** How long the listeners of this process take; without it the records of failed attempts are read. */
    public Doctor listenerTimes(ListenerTimes listenerTimes) {
        this.listenerTimes = Objects.requireNonNull(listenerTimes, "listenerTimes");
        return this;
    }

    /** The names of all handlers there are: events that wait for another one wait for ever. */
    public Doctor handlers(Collection<String> names) {
        return handlers(Set.copyOf(names)::contains);
    }

    /** As {@link #handlers(Collection)}, for a process that knows more than names, such as former ones. */
    public Doctor handlers(Predicate<String> isOwned) {
        this.ownedHandlers = Objects.requireNonNull(isOwned, "isOwned");
        return this;
    }

    /** What the caller has seen and the database cannot show, for instance that a Redis set keeps duplicates out. */
    public Doctor observed(Answer answer) {
        observed.put(answer.question(), answer);
        return this;
    }

    /**
     * Writes one event with this writer in a transaction that is rolled back, and looks from another connection whether it
     * was part of it: the proof for {@link Question#SAME_TRANSACTION}. The event has the type {@value WriteProbe#TYPE} and
     * is due in a day, so that nobody delivers it; a row that a wrong set-up leaves behind is deleted.
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

    /** How far apart the two looks at the backlog are; default 2 s. With zero there is one look, and growth is not seen. */
    public Doctor sampleTime(Duration sampleTime) {
        if (sampleTime.isNegative()) {
            throw new IllegalArgumentException("sampleTime must not be negative: " + sampleTime);
        }
        this.sampleTime = sampleTime;
        return this;
    }

    /** This process's clock; default: the system's. */
    public Doctor clock(InstantSource clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /**
     * Looks at everything.
     *
     * @throws CouldNotLookException if the database cannot be reached, no store knows it, or the table may not be read
     */
    public Diagnosis examine() {
        return connected(Examination::everything);
    }

    /**
     * Compares the table with the shipped schema and looks at nothing else.
     *
     * @throws CouldNotLookException if the database cannot be reached, or no store knows it
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
            throw new CouldNotLookException("cannot look at table " + table + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException e) { // a database no store knows
            throw new CouldNotLookException("cannot look at table " + table + ": " + e.getMessage(), e);
        }
    }
}
