package outbox.cdc;

import io.debezium.config.Configuration;
import io.debezium.connector.AbstractSourceInfo;
import io.debezium.document.Document;
import io.debezium.document.DocumentReader;
import io.debezium.document.DocumentWriter;
import io.debezium.relational.history.AbstractSchemaHistory;
import io.debezium.relational.history.HistoryRecord;
import io.debezium.relational.history.HistoryRecordComparator;
import io.debezium.relational.history.SchemaHistory;
import io.debezium.relational.history.SchemaHistoryException;
import io.debezium.relational.history.SchemaHistoryListener;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.util.DaemonThreadFactory;

/**
 * Stores the schema history of the outbox table, by binlog position, in the table {@code outbox_cdc_history}. Debezium
 * instantiates this class by name and passes its settings with those of the engine.
 *
 * <p>During the initial snapshot Debezium holds the server's global read lock and writes its history before it releases
 * the lock. On the same server this would deadlock, so a separate thread writes the entries once the lock is released.
 * If the process dies before that, the relay starts over with the rows of the table. Later schema changes are written
 * synchronously: without them the relay could not read rows after its next start.
 *
 * <p>Called from one thread at a time.
 */
public final class HistoryTable extends AbstractSchemaHistory {
    private static final Logger LOG = System.getLogger(HistoryTable.class.getName());
    private static final String READ = "SELECT entry FROM outbox_cdc_history WHERE relay = ? ORDER BY position";
    private static final String APPEND = """
            INSERT INTO outbox_cdc_history (relay, position, entry)
            SELECT ?, COALESCE(MAX(position), 0) + 1, ? FROM outbox_cdc_history WHERE relay = ?
            """;
    /** How long the snapshot, or a concurrent backup, may hold the global read lock. */
    private static final Duration LOCK_LIMIT = Duration.ofMinutes(10);

    private static final String FORGET = "DELETE FROM outbox_cdc_history WHERE relay = ?";

    private final DocumentWriter writer = DocumentWriter.defaultWriter();
    private final DocumentReader reader = DocumentReader.defaultReader();
    private final ExecutorService writing =
            Executors.newSingleThreadExecutor(new DaemonThreadFactory("outbox-cdc-history-"));
    private volatile @Nullable Exception failure;
    private @Nullable Map<String, String> settings;
    private @Nullable RelayState appending; // only used by the writing thread

    /** For Debezium. */
    public HistoryTable() {}

    /** @throws CdcSetupException if the table does not exist */
    static void verify(Connection conn, String database) {
        try {
            JdbcTemplate.query(conn, READ, statement -> statement.setString(1, "there?"), row -> row.getString(1));
        } catch (SQLException e) {
            throw OffsetTable.missing("outbox_cdc_history", database, e);
        }
    }

    static void forget(Connection conn, String relay) throws SQLException {
        JdbcTemplate.update(conn, FORGET, statement -> statement.setString(1, relay));
    }

    @Override
    public void configure(
            Configuration config,
            HistoryRecordComparator comparator,
            SchemaHistoryListener listener,
            boolean useCatalogBeforeSchema) {
        super.configure(config, comparator, listener, useCatalogBeforeSchema);
        Map<String, String> own = new HashMap<>();
        config.asMap().forEach((name, value) -> {
            if (name.startsWith(SchemaHistory.CONFIGURATION_FIELD_PREFIX_STRING)) {
                own.put(name.substring(SchemaHistory.CONFIGURATION_FIELD_PREFIX_STRING.length()), value);
            }
        });
        settings = own;
    }

    private RelayState newState(Duration answerLimit) {
        return RelayState.from(Objects.requireNonNull(settings, "configure() was not called"), answerLimit);
    }

    @Override
    protected void storeRecord(HistoryRecord entry) {
        try {
            String text = writer.write(entry.document());
            Future<?> written = writing.submit(() -> append(text));
            if (!isFirstLook(entry)) {
                written.get(RelayState.ANSWER_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (IOException | ExecutionException | TimeoutException e) {
            throw new SchemaHistoryException("could not store a schema change of the outbox table", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SchemaHistoryException("interrupted while storing a schema change of the outbox table", e);
        }
        if (failure != null) {
            throw new SchemaHistoryException("could not store a schema change of the outbox table", failure);
        }
    }

    private static boolean isFirstLook(HistoryRecord entry) {
        Document position = entry.document().getDocument(HistoryRecord.Fields.POSITION);
        return position != null && position.has(AbstractSourceInfo.SNAPSHOT_KEY);
    }

    private void append(String text) {
        try {
            RelayState state = appending == null ? newState(LOCK_LIMIT) : appending;
            appending = state;
            state.run(conn -> JdbcTemplate.update(conn, APPEND, statement -> {
                statement.setString(1, state.relay());
                statement.setString(2, text);
                statement.setString(3, state.relay());
            }));
        } catch (SQLException | RuntimeException e) {
            failure = e;
            LOG.log(
                    Level.ERROR,
                    "could not store the schema of the outbox table; the relay stops, or reads the rows of the"
                            + " table again after its next start",
                    e);
        }
    }

    @Override
    protected void recoverRecords(Consumer<HistoryRecord> records) {
        try {
            for (String entry : entries()) {
                records.accept(new HistoryRecord(reader.read(entry)));
            }
        } catch (IOException | SQLException e) {
            throw new SchemaHistoryException("could not read the schema history of the outbox table", e);
        }
    }

    private List<String> entries() throws SQLException {
        try (RelayState state = newState(RelayState.ANSWER_LIMIT)) {
            return state.run(conn -> JdbcTemplate.query(
                    conn, READ, statement -> statement.setString(1, state.relay()), row -> row.getString(1)));
        }
    }

    @Override
    public boolean exists() {
        try {
            return !entries().isEmpty();
        } catch (SQLException e) {
            throw new SchemaHistoryException("the table outbox_cdc_history cannot be read", e);
        }
    }

    @Override
    public boolean storageExists() {
        return true; // verified before the engine started
    }

    @Override
    public void stop() {
        super.stop();
        writing.execute(() -> {
            if (appending != null) {
                appending.close();
            }
        });
        writing.shutdown();
    }
}
