package outbox.control.audit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.node.db.Tables;
import outbox.spi.UnitOfWork;
import outbox.util.StoredError;

/**
 * The audit log: entries are appended, read and verified, never changed. Appending locks the end of the chain, so that
 * several processes form one chain. Thread-safe.
 */
public final class AuditLog {
    /** Characters of {@link Note#detail} that are kept. */
    public static final int MAX_DETAIL = 2000;

    private static final String COLUMNS =
            "seq, happened_at, actor, address, action, application, target, outcome, detail, mac";
    private static final int BATCH = 1000;
    private static final Logger LOG = System.getLogger(AuditLog.class.getName());

    private final DataSource dataSource;
    private final Flavor flavor;
    private final AuditKey key;
    private final AuditAnchor anchor;
    private final InstantSource clock;
    private final AtomicBoolean warned = new AtomicBoolean();

    public AuditLog(DataSource dataSource, AuditKey key, AuditAnchor anchor, InstantSource clock) {
        this.dataSource = dataSource;
        this.flavor = Flavor.detect(dataSource);
        this.key = key;
        this.anchor = anchor;
        this.clock = clock;
    }

    /** Whether a control center has written to this database; creates nothing. */
    public static boolean isIn(DataSource dataSource) throws SQLException {
        Flavor flavor = Flavor.detect(dataSource);
        try (Connection conn = dataSource.getConnection()) {
            if (!Tables.exists(conn, flavor, "outbox_cc_audit_head")) {
                return false;
            }
            Long entries = new Sql(flavor, "SELECT seq FROM outbox_cc_audit_head WHERE id = 1")
                    .first(conn, row -> row.getLong(1));
            return entries != null && entries > 0;
        }
    }

    /** The content of an entry; see {@link AuditEntry}. */
    public record Note(
            String actor,
            @Nullable String address,
            String action,
            @Nullable String application,
            @Nullable String target,
            String outcome,
            @Nullable String detail) {}

    public AuditEntry add(Note note) throws SQLException {
        return kept(UnitOfWork.run(dataSource::getConnection, conn -> append(conn, note)));
    }

    /**
     * Makes a change and appends its entry in the same transaction.
     *
     * @param change in the control center's own database
     * @param note describes the result of the change
     */
    public <T> T add(UnitOfWork.Work<T> change, Function<T, Note> note) throws SQLException {
        AtomicReference<@Nullable Added> added = new AtomicReference<>();
        T result = UnitOfWork.run(dataSource::getConnection, conn -> {
            T made = change.on(conn);
            added.set(append(conn, note.apply(made)));
            return made;
        });
        kept(Objects.requireNonNull(added.get()));
        return result;
    }

    private AuditEntry kept(Added added) {
        if (added.anchored()) {
            try {
                anchor.keep(added.entry().seq(), added.entry().mac());
            } catch (UncheckedIOException
                    | IllegalStateException e) { // the change is committed; the anchor of an earlier entry stays valid
                LOG.log(Level.ERROR, "could not update the audit anchor; retrying with the next entry", e);
            }
        } else if (!warned.getAndSet(true)) {
            LOG.log(
                    Level.WARNING,
                    "the audit log was truncated, restored from an older copy, or its anchor cannot be read;"
                            + " new entries are still appended, and verification fails until the anchor is removed");
        }
        return added.entry();
    }

    /** @param anchored whether the entry follows the anchored one */
    private record Added(AuditEntry entry, boolean anchored) {}

    private Added append(Connection conn, Note note) throws SQLException {
        Head head = new Sql(flavor, "SELECT seq, mac, head_mac FROM outbox_cc_audit_head WHERE id = 1 FOR UPDATE")
                .first(conn, Head::read);
        if (head == null) {
            throw new IllegalStateException(
                    "table outbox_cc_audit_head is empty: its only row is created with the schema;"
                            + " it was deleted, so verify the audit log");
        }
        AuditEntry open = new AuditEntry(
                head.seq() + 1,
                clock.instant().truncatedTo(ChronoUnit.MICROS),
                clean(note.actor(), 128),
                note.address() == null ? null : clean(note.address(), 64),
                note.action(),
                note.application() == null ? null : clean(note.application(), 64),
                note.target() == null ? null : clean(note.target(), 256),
                note.outcome(),
                note.detail() == null ? null : clean(note.detail(), MAX_DETAIL),
                "");
        String mac = key.mac(head.mac(), open);
        new Sql(
                        flavor,
                        "INSERT INTO outbox_cc_audit (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        open.seq(),
                        open.at(),
                        open.actor(),
                        open.address(),
                        open.action(),
                        open.application(),
                        open.target(),
                        open.outcome(),
                        open.detail(),
                        mac)
                .update(conn);
        new Sql(
                        flavor,
                        "UPDATE outbox_cc_audit_head SET seq = ?, mac = ?, head_mac = ? WHERE id = 1",
                        open.seq(),
                        mac,
                        key.headMac(open.seq(), mac))
                .update(conn);
        return new Added(withMac(open, mac), hasAnchor(conn, head));
    }

    /** A missing anchored entry is evidence of tampering: moving the anchor would hide the gap. */
    private boolean hasAnchor(Connection conn, Head head) throws SQLException {
        AuditAnchor.Mark mark;
        try {
            mark = anchor.kept();
        } catch (IllegalStateException e) { // not overwritten before verify has reported it
            return false;
        }
        if (mark == null || (mark.seq() == head.seq() && AuditKey.equal(mark.mac(), head.mac()))) {
            return true;
        }
        String mac = new Sql(flavor, "SELECT mac FROM outbox_cc_audit WHERE seq = ?", mark.seq())
                .first(conn, row -> row.getString(1));
        return mac != null && AuditKey.equal(mark.mac(), mac);
    }

    private static String clean(String text, int limit) {
        String safe = Objects.requireNonNullElse(StoredError.clean(text), "");
        return safe.length() <= limit ? safe : clean(safe.substring(0, limit), limit);
    }

    private static AuditEntry withMac(AuditEntry entry, String mac) {
        return new AuditEntry(
                entry.seq(),
                entry.at(),
                entry.actor(),
                entry.address(),
                entry.action(),
                entry.application(),
                entry.target(),
                entry.outcome(),
                entry.detail(),
                mac);
    }

    /**
     * Newest first.
     *
     * @param before the {@code seq} of the last entry of the previous page; {@code null} for the first page
     * @param application {@code null} for all
     */
    public List<AuditEntry> page(@Nullable Long before, @Nullable String application, int limit) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            Sql sql = new Sql(
                    flavor,
                    "SELECT " + COLUMNS + " FROM outbox_cc_audit WHERE seq < ?",
                    before == null ? Long.MAX_VALUE : before);
            if (application != null) {
                sql.add(" AND application = ?", application);
            }
            return sql.add(" ORDER BY seq DESC LIMIT ?", limit).query(conn, this::read);
        }
    }

    /** Receives entries. */
    @FunctionalInterface
    public interface Sink {
        void accept(AuditEntry entry) throws IOException;
    }

    /** Streams the whole log, oldest first. */
    public void export(Sink sink) throws SQLException, IOException {
        try (Connection conn = dataSource.getConnection()) {
            for (List<AuditEntry> batch = after(conn, 0); !batch.isEmpty(); ) {
                for (AuditEntry entry : batch) {
                    sink.accept(entry);
                }
                batch = after(conn, batch.get(batch.size() - 1).seq());
            }
        }
    }

    private List<AuditEntry> after(Connection conn, long seq) throws SQLException {
        return new Sql(
                        flavor,
                        "SELECT " + COLUMNS + " FROM outbox_cc_audit WHERE seq > ? ORDER BY seq LIMIT ?",
                        seq,
                        BATCH)
                .query(conn, this::read);
    }

    /** Verifies the whole log. */
    public AuditReport verify() throws SQLException {
        AuditChain chain = new AuditChain(key);
        try (Connection conn = dataSource.getConnection()) {
            AuditAnchor.Mark mark = anchor.kept();
            boolean markSeen = mark == null;
            List<AuditEntry> batch = after(conn, 0);
            Head head;
            do {
                for (AuditEntry entry : batch) {
                    chain.add(entry);
                    if (mark != null && mark.seq() == entry.seq()) {
                        markSeen = AuditKey.equal(mark.mac(), entry.mac());
                    }
                }
                head = head(conn); // other processes may append between two queries
                batch = after(conn, chain.last());
            } while (!batch.isEmpty() && !chain.isHopeless());
            chain.problem(headProblem(head, chain.last(), chain.lastMac()));
            if (mark != null && !markSeen) {
                chain.problem("entry " + mark.seq() + ", which was certainly written, is not in the log: the end of the"
                        + " log was truncated or an older copy restored");
            }
            return new AuditReport(chain.last(), chain.problems());
        }
    }

    private @Nullable Head head(Connection conn) throws SQLException {
        return new Sql(flavor, "SELECT seq, mac, head_mac FROM outbox_cc_audit_head WHERE id = 1")
                .first(conn, Head::read);
    }

    private @Nullable String headProblem(@Nullable Head head, long seq, String last) {
        if (head == null) {
            return "the end of the log is unknown: outbox_cc_audit_head is empty";
        }
        if (head.seq() > seq) {
            return "entries " + (seq + 1) + " to " + head.seq() + " are missing at the end";
        }
        if (head.seq() < seq || !head.mac().equals(last)) {
            return "outbox_cc_audit_head does not match the last entry";
        }
        return seq > 0 && !AuditKey.equal(key.headMac(seq, last), head.headMac())
                ? "outbox_cc_audit_head was modified"
                : null;
    }

    private AuditEntry read(ResultSet row) throws SQLException {
        Instant at = flavor.time(row, 2);
        return new AuditEntry(
                row.getLong(1),
                at,
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getString(8),
                row.getString(9),
                row.getString(10));
    }

    private record Head(long seq, String mac, String headMac) {
        static Head read(ResultSet row) throws SQLException {
            return new Head(row.getLong(1), row.getString(2), row.getString(3));
        }
    }
}
