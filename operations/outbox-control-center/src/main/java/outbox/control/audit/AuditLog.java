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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.node.db.Tables;
import outbox.spi.UnitOfWork;
import outbox.util.StoredError;

/**
 * The audit log: entries are added, read and verified, never changed. Adding is one transaction that holds the end of the
 * chain, so entries of several processes form one chain. Thread-safe.
 */
public final class AuditLog {
    private static final String COLUMNS =
            "seq, happened_at, actor, address, action, application, target, outcome, detail, mac";
    private static final int BATCH = 1000;
    private static final int MAX_DETAIL = 2000;
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

    /** Whether a control center has written to this database, without making anything there. */
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

    /** What happened; see {@link AuditEntry}. */
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
     * Adds an entry in one transaction with the change it is about: neither is there without the other.
     *
     * @param change in the control center's own database
     */
    public AuditEntry add(Note note, UnitOfWork.Work<?> change) throws SQLException {
        return kept(UnitOfWork.run(dataSource::getConnection, conn -> {
            change.on(conn);
            return append(conn, note);
        }));
    }

    private AuditEntry kept(Added added) {
        if (added.anchored()) {
            try {
                anchor.keep(added.entry().seq(), added.entry().mac());
            } catch (UncheckedIOException
                    | IllegalStateException e) { // what was done is done; the mark of an earlier entry stays true
                LOG.log(
                        Level.ERROR,
                        "the end of the audit log is not kept outside of it; tried with the next entry",
                        e);
            }
        } else if (!warned.getAndSet(true)) {
            LOG.log(
                    Level.WARNING,
                    "the end of the audit log was cut off, an older copy of it put back, or its anchor cannot be read;"
                            + " entries are added, and verifying it says so until the anchor is removed");
        }
        return added.entry();
    }

    /** @param anchored whether the entry follows the one that is kept outside of the database */
    private record Added(AuditEntry entry, boolean anchored) {}

    private Added append(Connection conn, Note note) throws SQLException {
        Head head = new Sql(flavor, "SELECT seq, mac, head_mac FROM outbox_cc_audit_head WHERE id = 1 FOR UPDATE")
                .first(conn, Head::read);
        if (head == null) {
            throw new IllegalStateException("table outbox_cc_audit_head is empty: its one row is made with the schema;"
                    + " somebody deleted it, so verify the audit log");
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

    /** A kept entry that is gone is the evidence: if later ones took its place, the gap would be found no more. */
    private boolean hasAnchor(Connection conn, Head head) throws SQLException {
        AuditAnchor.Mark mark;
        try {
            mark = anchor.kept();
        } catch (IllegalStateException e) { // it is not written over before verify has found it
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
     * @param before the {@code seq} of the last entry of the page before; {@code null} for the first page
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

    /** Takes entries; may write them somewhere. */
    @FunctionalInterface
    public interface Sink {
        void accept(AuditEntry entry) throws IOException;
    }

    /** Gives out the whole log, oldest first. */
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

    /** Reads the whole log and says what does not fit. */
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
                head = head(conn); // between two looks at the entries: others may add some at any time
                batch = after(conn, chain.last());
            } while (!batch.isEmpty() && !chain.isHopeless());
            chain.problem(headProblem(head, chain.last(), chain.lastMac()));
            if (mark != null && !markSeen) {
                chain.problem(
                        "entry " + mark.seq() + ", which was written for certain, is not in the log: the end of the"
                                + " log was cut off or an older copy put back");
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
            return "the end of the log is not marked any more: outbox_cc_audit_head is empty";
        }
        if (head.seq() > seq) {
            return "entries " + (seq + 1) + " to " + head.seq() + " are missing at the end";
        }
        if (head.seq() < seq || !head.mac().equals(last)) {
            return "the mark of the end does not fit the last entry";
        }
        return seq > 0 && !AuditKey.equal(key.headMac(seq, last), head.headMac())
                ? "the mark of the end was changed"
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
