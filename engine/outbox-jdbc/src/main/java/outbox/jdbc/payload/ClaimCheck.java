package outbox.jdbc.payload;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.EventEnvelope.PayloadForm;
import outbox.PayloadSource;
import outbox.jdbc.OutboxStoreException;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.ConnectionProvider;
import outbox.spi.EventSeal;
import outbox.spi.TxContext;
import outbox.util.Ulid;

/**
 * Stores large payloads beside the event table, in the transaction of their event, and leaves a reference in the row.
 * Listeners get the event as it was written; {@link EventEnvelope#payloadStream} reads the payload part by part. Every
 * process that writes or delivers needs the same configuration. Thread-safe.
 *
 * <pre>{@code
 * ClaimCheck claimCheck = ClaimCheck.builder(store, connections).transactions(txContext).build();
 * Outbox outbox = JdbcOutbox.multiNode(dataSource, store).transactions(txContext).seal(claimCheck) …
 * PayloadSweep sweep = PayloadSweep.of(claimCheck).start();
 * }</pre>
 *
 * <p>Bodies whose event row is gone, however that happened, are deleted by the {@link PayloadSweep}.
 */
public final class ClaimCheck implements EventSeal {
    /** Default of {@link Builder#threshold}. */
    public static final int DEFAULT_THRESHOLD = 256 * 1024;

    /** With a seal inside, a payload below the threshold must still fit into its row when it is encrypted. */
    private static final int MOST_WITH_SEAL = EventEnvelope.MAX_PAYLOAD_BYTES / 2;

    private static final Logger LOG = System.getLogger(ClaimCheck.class.getName());

    final AbstractJdbcOutboxStore store;
    final ConnectionProvider connections;
    final PayloadTable table;
    final @Nullable ObjectStore objects;
    final @Nullable String archiveTable;
    private final @Nullable TxContext transactions;
    private final EventSeal inner;
    private final int threshold;

    private ClaimCheck(Builder builder) {
        this.store = builder.store;
        this.connections = builder.connections;
        this.table = PayloadTable.of(builder.store);
        this.objects = builder.objects;
        this.archiveTable = builder.archiveTable;
        this.transactions = builder.transactions;
        this.inner = builder.inner;
        this.threshold = builder.threshold;
    }

    /** @param connections for listeners that read payloads, and for the sweep */
    public static Builder builder(AbstractJdbcOutboxStore store, ConnectionProvider connections) {
        return new Builder(store, connections);
    }

    /** The table of the bodies. */
    public PayloadTable table() {
        return table;
    }

    /**
     * Archives bodies with their rows: each in a file {@code <event id>.payload} of that directory, as it is stored. For
     * an archive in a table, use {@link Builder#archiveTable} instead.
     */
    public EventArchive archive(EventArchive rows, Path directory) {
        return new PayloadArchive(rows, this, directory);
    }

    /**
     * @throws IllegalArgumentException if the event has the header that marks references
     * @throws UncheckedIOException if the payload cannot be read, or the object store fails; nothing is written then
     */
    @Override
    public EventEnvelope seal(EventEnvelope event) {
        if (event.headers().containsKey(PayloadTable.HEADER)) {
            throw new IllegalArgumentException("event " + event.eventType() + " " + event.eventId() + " has the header "
                    + PayloadTable.HEADER + ", which marks payloads outside of the row: remove it");
        }
        PayloadSource source = event.payloadSource();
        if (source == null) {
            if (event.approximateSize() <= threshold / 3 || event.payloadSize() <= threshold) {
                return inner.seal(event);
            }
            byte[] bytes = event.payloadBytes();
            return checkedIn(event, new ByteArrayInputStream(bytes));
        }
        try (InputStream in = source.open()) {
            byte[] start = in.readNBytes(threshold + 1);
            if (start.length <= threshold) {
                complete(source, start.length);
            }
            return start.length <= threshold
                    ? inner.seal(inRow(event, start))
                    : checkedIn(event, new SequenceInputStream(new ByteArrayInputStream(start), in));
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the payload of event " + event.eventType() + " " + event.eventId() + " could not be read from "
                            + source + "; nothing is written: " + e.getMessage(),
                    e);
        }
    }

    /** A source that ends too early must not become an event. */
    private static void complete(@Nullable PayloadSource source, long read) throws EOFException {
        if (source != null && source.size() >= 0 && source.size() != read) {
            throw new EOFException(
                    source + " ended after " + read + " bytes, and should have " + source.size() + " bytes");
        }
    }

    private static EventEnvelope inRow(EventEnvelope event, byte[] payload) {
        EventEnvelope.Builder small = event.toBuilder().payloadSource(null);
        return event.payloadForm() == PayloadForm.JSON
                ? small.payloadJson(new String(payload, StandardCharsets.UTF_8)).build()
                : small.payloadBytes(payload).build();
    }

    private EventEnvelope checkedIn(EventEnvelope event, InputStream payload) {
        TxContext transaction = transactions;
        if (transaction == null) {
            throw new IllegalStateException("this claim check only reads: give it transactions(...) to write with it");
        }
        byte[] key = inner == EventSeal.NONE ? null : BodyCipher.newKey();
        Counted counted = new Counted(payload);
        InputStream body = key == null ? counted : BodyCipher.encrypting(counted, key, event.eventId());
        String place;
        try {
            place = write(transaction, event.eventId(), body);
            complete(event.payloadSource(), counted.count());
        } catch (SQLException e) {
            throw new OutboxStoreException(
                    "the payload of event " + event.eventId() + " could not be written to " + table + ": "
                            + e.getMessage(),
                    e);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the payload of event " + event.eventId() + " could not be stored; nothing is written: "
                            + e.getMessage(),
                    e);
        }
        long size = counted.count();
        long stored = key == null ? size : BodyCipher.encryptedSize(size);
        return inner.seal(event.toBuilder()
                .payloadSource(null)
                .payloadBytes(null)
                .payloadJson(new PayloadReference(event.payloadForm(), size, stored, PayloadReference.secretOf(key))
                        .asPayload())
                .header(PayloadTable.HEADER, size + " bytes in " + place)
                .build());
    }

    /** @return where the body is */
    private String write(TxContext transaction, String eventId, InputStream body) throws SQLException, IOException {
        Connection conn = transaction.currentConnection();
        ObjectStore files = objects;
        if (files == null) {
            table.write(conn, eventId, body);
            return table.name();
        }
        String key = Ulid.next();
        transaction.afterRollback(() -> delete(files, key));
        files.put(key, body);
        table.writeLocation(conn, eventId, locationOf(files, key));
        return files.name();
    }

    static String locationOf(ObjectStore objects, String key) {
        return objects.name() + ":" + key;
    }

    private static void delete(ObjectStore objects, String key) {
        try {
            objects.delete(key);
        } catch (IOException | RuntimeException e) {
            LOG.log(
                    Level.WARNING,
                    "payload " + key + " of a transaction that rolled back is still in " + objects
                            + "; the sweep deletes it",
                    e);
        }
    }

    @Override
    public EventEnvelope delivered(EventEnvelope written, EventEnvelope stored) {
        return written.payloadSource() != null || stored.headers().containsKey(PayloadTable.HEADER)
                ? open(stored)
                : inner.delivered(written, stored);
    }

    /** Does not read the body: {@link EventEnvelope#payloadStream} does. */
    @Override
    public EventEnvelope open(EventEnvelope stored) {
        EventEnvelope opened = inner.open(stored);
        if (!opened.headers().containsKey(PayloadTable.HEADER)) {
            return opened;
        }
        PayloadReference reference = PayloadReference.of(opened);
        if (reference == null) {
            throw new IllegalArgumentException("event " + opened.eventId() + " has the header " + PayloadTable.HEADER
                    + ", but its payload is no reference to a body that this version can read");
        }
        Map<String, String> headers = new LinkedHashMap<>(opened.headers());
        headers.remove(PayloadTable.HEADER);
        return opened.toBuilder()
                .headers(headers)
                .payloadJson(null)
                .payloadSource(new StoredBody(this, opened.eventId(), reference))
                .build();
    }

    /** Collects settings; not thread-safe. */
    public static final class Builder {
        private final AbstractJdbcOutboxStore store;
        private final ConnectionProvider connections;
        private @Nullable TxContext transactions;
        private @Nullable ObjectStore objects;
        private @Nullable String archiveTable;
        private EventSeal inner = EventSeal.NONE;
        private int threshold = DEFAULT_THRESHOLD;

        private Builder(AbstractJdbcOutboxStore store, ConnectionProvider connections) {
            this.store = Objects.requireNonNull(store, "store");
            this.connections = Objects.requireNonNull(connections, "connections");
        }

        /** The transactions events are written in; not needed where they are only delivered. */
        public Builder transactions(TxContext transactions) {
            this.transactions = transactions;
            return this;
        }

        /** Payloads with more bytes are stored beside the row; default {@value #DEFAULT_THRESHOLD}. */
        public Builder threshold(int bytes) {
            if (bytes < 1 || bytes > EventEnvelope.MAX_PAYLOAD_BYTES) {
                throw new IllegalArgumentException("threshold must be between 1 and " + EventEnvelope.MAX_PAYLOAD_BYTES
                        + " bytes, the largest payload of a row: " + bytes);
            }
            this.threshold = bytes;
            return this;
        }

        /** Where bodies are stored; default: in the table {@code <event table>_payload}. */
        public Builder objects(ObjectStore objects) {
            if (!objects.name().matches("[A-Za-z0-9_-]{1,40}")) {
                throw new IllegalArgumentException("the name of an object store is stored with each event: letters,"
                        + " digits, dashes and underscores, at most 40, not '" + objects.name() + "'");
            }
            this.objects = objects;
            return this;
        }

        /**
         * The form of events in the table besides this: {@code outbox-encryption}, for instance. Bodies are encrypted too
         * then, each with a key of its own, which is stored in the reference and protected with it.
         */
        public Builder over(EventSeal inner) {
            this.inner = Objects.requireNonNull(inner, "inner");
            return this;
        }

        /** Keeps bodies as long as their rows are in this archive; see {@link EventArchive#inTable}. */
        public Builder archiveTable(String archiveTable) {
            this.archiveTable = archiveTable;
            return this;
        }

        /** @throws IllegalArgumentException if two settings contradict each other */
        public ClaimCheck build() {
            if (inner instanceof ClaimCheck) {
                throw new IllegalArgumentException("over(...) got a claim check: one is enough");
            }
            if (inner != EventSeal.NONE && threshold > MOST_WITH_SEAL) {
                throw new IllegalArgumentException("threshold " + threshold + " is too large with over(" + inner
                        + "): payloads grow when they are encrypted and must still fit into their row; at most "
                        + MOST_WITH_SEAL);
            }
            return new ClaimCheck(this);
        }
    }
}
