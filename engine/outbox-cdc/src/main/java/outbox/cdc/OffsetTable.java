package outbox.cdc;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.connect.runtime.WorkerConfig;
import org.apache.kafka.connect.storage.OffsetBackingStore;
import org.apache.kafka.connect.util.Callback;
import org.jspecify.annotations.Nullable;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.TimeColumns;

/**
 * Stores Debezium's offset in the table {@code outbox_cdc_offset} of the database it reads, so that a backup contains
 * both. Debezium instantiates this class by name and passes its settings with those of the engine.
 *
 * <p>Called from one thread at a time, and once per batch of events.
 */
public final class OffsetTable implements OffsetBackingStore {
    private static final String READ = "SELECT offset_key, offset_value FROM outbox_cdc_offset WHERE relay = ?";
    private static final String UPDATE =
            "UPDATE outbox_cdc_offset SET offset_value = ?, updated_at = ? WHERE relay = ? AND offset_key = ?";
    private static final String INSERT =
            "INSERT INTO outbox_cdc_offset (offset_value, updated_at, relay, offset_key) VALUES (?, ?, ?, ?)";
    private static final String TOUCH = "UPDATE outbox_cdc_offset SET updated_at = ? WHERE relay = ?";
    private static final String FORGET = "DELETE FROM outbox_cdc_offset WHERE relay = ?";

    private @Nullable RelayState state;

    /** For Debezium. */
    public OffsetTable() {}

    /** @throws CdcSetupException if the table does not exist */
    static void verify(Connection conn, String database) {
        try {
            JdbcTemplate.query(conn, READ, statement -> statement.setString(1, "there?"), row -> row.getString(1));
        } catch (SQLException e) {
            throw missing("outbox_cdc_offset", database, e);
        }
    }

    static CdcSetupException missing(String table, String database, SQLException cause) {
        return new CdcSetupException(
                "the table " + table + " cannot be read (" + cause.getMessage() + "): run outbox/cdc/schema/" + database
                        + ".sql of outbox-cdc, or CdcSchema.of(\"" + database + "\").apply(connection)",
                cause);
    }

    /** The stored offset; {@code null} if there is none. */
    static @Nullable String valueOf(Connection conn, String relay) throws SQLException {
        List<String> values =
                JdbcTemplate.query(conn, READ, statement -> statement.setString(1, relay), row -> row.getString(2));
        return values.isEmpty() ? null : values.get(0);
    }

    /** Updates a timestamp, so that there is a change in the log. */
    static void touch(Connection conn, String relay, TimeColumns times) throws SQLException {
        JdbcTemplate.update(conn, TOUCH, statement -> {
            times.bind(statement, 1, Instant.now());
            statement.setString(2, relay);
        });
    }

    static void forget(Connection conn, String relay) throws SQLException {
        JdbcTemplate.update(conn, FORGET, statement -> statement.setString(1, relay));
    }

    @Override
    public void configure(WorkerConfig config) {
        AbstractConfig all = config; // our settings are unknown to Connect
        state = RelayState.from(all.originalsStrings(), RelayState.ANSWER_LIMIT);
    }

    @Override
    public void start() {}

    @Override
    public void stop() {
        if (state != null) {
            state.close();
        }
    }

    private RelayState state() {
        return Objects.requireNonNull(state, "configure() was not called");
    }

    @Override
    public Future<Map<ByteBuffer, ByteBuffer>> get(Collection<ByteBuffer> keys) {
        try {
            Map<ByteBuffer, ByteBuffer> all = new HashMap<>();
            state().run(conn -> JdbcTemplate.query(
                    conn,
                    READ,
                    statement -> statement.setString(1, state().relay()),
                    row -> all.put(utf8(row.getString(1)), utf8(row.getString(2)))));
            all.keySet().retainAll(keys);
            return CompletableFuture.completedFuture(all);
        } catch (SQLException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public Future<Void> set(Map<ByteBuffer, ByteBuffer> values, Callback<Void> callback) {
        try {
            state().run(conn -> {
                for (Map.Entry<ByteBuffer, ByteBuffer> entry : values.entrySet()) {
                    write(conn, text(entry.getKey()), text(entry.getValue()));
                }
                return values;
            });
            callback.onCompletion(null, null);
            return CompletableFuture.completedFuture(null);
        } catch (SQLException e) {
            callback.onCompletion(e, null);
            return CompletableFuture.failedFuture(e);
        }
    }

    private void write(Connection conn, String key, String value) throws SQLException {
        JdbcTemplate.Binder binder = statement -> {
            statement.setString(1, value);
            state().times().bind(statement, 2, Instant.now());
            statement.setString(3, state().relay());
            statement.setString(4, key);
        };
        if (JdbcTemplate.update(conn, UPDATE, binder) == 0) {
            JdbcTemplate.update(conn, INSERT, binder);
        }
    }

    @Override
    public Set<Map<String, Object>> connectorPartitions(String connectorName) {
        throw new UnsupportedOperationException("only a Connect worker lists the partitions of a connector");
    }

    private static ByteBuffer utf8(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String text(ByteBuffer bytes) {
        return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
    }
}
