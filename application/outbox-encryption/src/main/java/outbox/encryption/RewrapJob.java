package outbox.encryption;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import outbox.EventEnvelope;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.jdbc.store.PayloadRewriter;
import outbox.model.OutboxEvent;
import outbox.spi.ConnectionProvider;
import outbox.spi.StoredPayload;
import outbox.spi.UnitOfWork;

/**
 * Brings every row into the form it would have if it were written now: what is under an old key comes under the current
 * one, what is in clear and should not be is encrypted, what need not be encrypted any more is in clear. May run while
 * events are written and delivered, and again after it was broken off. Thread-safe.
 *
 * <p>A run sees what is committed when it comes by. A transaction that encrypted under an old key and commits behind it
 * leaves a row under that key, so the table needs an old key no more after a run that began when all such transactions
 * were over and reports nothing rewrapped and nothing unreadable. What is not in the table stays under its key: dead
 * letters of CDC ({@code outbox_cdc_dead}), a database log that CDC has not read yet, archives, backups.
 */
public final class RewrapJob {
    /** Rows that are read, and at most changed, in one transaction. */
    public static final int DEFAULT_BATCH_SIZE = 200;

    private static final Logger LOG = System.getLogger(RewrapJob.class.getName());

    private final EventEncryption encryption;
    private final AbstractJdbcOutboxStore store;
    private final ConnectionProvider connections;
    private final PayloadRewriter rewriter;
    private final int batchSize;

    /**
     * What a run has done.
     *
     * @param looked rows it has seen
     * @param rewrapped rows it has changed
     * @param unreadable ids of rows that cannot be decrypted; they are as they were
     */
    public record Report(long looked, long rewrapped, List<String> unreadable) {}

    public RewrapJob(EventEncryption encryption, AbstractJdbcOutboxStore store, ConnectionProvider connections) {
        this(encryption, store, connections, DEFAULT_BATCH_SIZE);
    }

    public RewrapJob(
            EventEncryption encryption, AbstractJdbcOutboxStore store, ConnectionProvider connections, int batchSize) {
        this.encryption = Objects.requireNonNull(encryption, "encryption");
        this.store = Objects.requireNonNull(store, "store");
        this.connections = Objects.requireNonNull(connections, "connections");
        this.rewriter = new PayloadRewriter(store);
        this.batchSize = batchSize;
        if (batchSize < 1) {
            throw new IllegalArgumentException("batchSize must be positive: " + batchSize);
        }
    }

    /**
     * Goes through the table once.
     *
     * @throws SQLException if the database fails; what was changed until then stays
     * @throws outbox.RetryAfterException if the key provider does not answer; the same
     */
    public Report run() throws SQLException {
        long looked = 0;
        long rewrapped = 0;
        List<String> unreadable = new ArrayList<>();
        String last = "";
        while (true) {
            String from = last;
            List<OutboxEvent> page = UnitOfWork.single(connections, conn -> rewriter.pageAfter(conn, from, batchSize));
            if (page.isEmpty()) {
                break;
            }
            looked += page.size();
            rewrapped += rewrap(page, unreadable);
            last = page.get(page.size() - 1).eventId();
        }
        LOG.log(
                unreadable.isEmpty() ? Level.INFO : Level.WARNING,
                "rewrapped " + rewrapped + " of " + looked + " event(s); " + unreadable.size()
                        + " cannot be decrypted and stay as they are");
        return new Report(looked, rewrapped, List.copyOf(unreadable));
    }

    private long rewrap(List<OutboxEvent> page, List<String> unreadable) throws SQLException {
        List<String> outdated = new ArrayList<>();
        for (OutboxEvent row : page) {
            readable(row.eventId(), unreadable, () -> {
                EventEnvelope stored = StoredPayload.eventOf(row, store.jsonCodec());
                if (encryption.isOutdated(stored)) {
                    encryption.opened(stored); // keys are asked for now, not while the rows are locked
                    outdated.add(row.eventId());
                }
                return true;
            });
        }
        if (outdated.isEmpty()) {
            return 0;
        }
        List<String> refused = new ArrayList<>();
        long changed = UnitOfWork.run(connections, conn -> {
            refused.clear();
            long count = 0;
            for (String id : outdated) {
                count += readable(id, refused, () -> rewriter.rewrite(conn, id, encryption::resealed)) ? 1 : 0;
            }
            return count;
        });
        unreadable.addAll(refused);
        return changed;
    }

    private interface Step {
        boolean run();
    }

    private static boolean readable(String eventId, List<String> unreadable, Step step) {
        try {
            return step.run();
        } catch (DecryptionException | IllegalArgumentException e) {
            LOG.log(Level.WARNING, "event " + eventId + " cannot be rewrapped and stays as it is: " + e.getMessage());
            unreadable.add(eventId);
            return false;
        }
    }
}
