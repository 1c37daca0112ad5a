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
 * Re-encrypts rows according to the current configuration: rows with an old key get the current one, plaintext that
 * should be encrypted is encrypted, and data that need not be encrypted any more is decrypted. It can run while events
 * are written and delivered, and can be repeated after an interruption. Thread-safe.
 *
 * <p>A run sees only committed rows. A transaction that encrypted with an old key and commits later leaves a row with
 * that key. The table no longer needs an old key after a run that started when all such transactions had ended and that
 * reports nothing rewrapped and nothing unreadable. Data outside the table keeps its key: CDC dead letters ({@code
 * outbox_cdc_dead}), a database log that CDC has not read yet, archives, backups.
 */
public final class RewrapJob {
    /** Maximum number of rows per transaction. */
    public static final int DEFAULT_BATCH_SIZE = 200;

    private static final Logger LOG = System.getLogger(RewrapJob.class.getName());

    private final EventEncryption encryption;
    private final AbstractJdbcOutboxStore store;
    private final ConnectionProvider connections;
    private final PayloadRewriter rewriter;
    private final int batchSize;

    /**
     * Result of a run.
     *
     * @param looked rows read
     * @param rewrapped rows changed
     * @param unreadable ids of rows that cannot be decrypted; they are unchanged
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
     * Processes the whole table once.
     *
     * @throws SQLException if the database fails; earlier changes are kept
     * @throws outbox.RetryAfterException if the key provider is unavailable; earlier changes are kept
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
                        + " cannot be decrypted and are unchanged");
        return new Report(looked, rewrapped, List.copyOf(unreadable));
    }

    private long rewrap(List<OutboxEvent> page, List<String> unreadable) throws SQLException {
        List<String> outdated = new ArrayList<>();
        for (OutboxEvent row : page) {
            readable(row.eventId(), unreadable, () -> {
                EventEnvelope stored = StoredPayload.eventOf(row, store.jsonCodec());
                if (encryption.isOutdated(stored)) {
                    encryption.opened(stored); // loads the keys before the rows are locked
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
            LOG.log(Level.WARNING, "event " + eventId + " cannot be rewrapped and is unchanged: " + e.getMessage());
            unreadable.add(eventId);
            return false;
        }
    }
}
