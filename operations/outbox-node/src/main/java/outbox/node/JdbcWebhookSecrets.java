package outbox.node;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import javax.crypto.spec.SecretKeySpec;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.SchemaFile;
import outbox.node.db.SecretBox;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;
import outbox.util.Ulid;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookSecret;

/**
 * Webhook secrets that survive a restart and reach every node. A rotated secret is stored encrypted in the table {@code
 * outbox_webhook_secret}; every node signs with it a few seconds later. Requests are signed with the previous secret
 * too for a while, so that the receiver has time to change. Thread-safe.
 *
 * <pre>{@code
 * JdbcWebhookSecrets secrets = JdbcWebhookSecrets.on(dataSource, key, (endpoint, secret) -> vault.put(endpoint.name(), secret.reveal()));
 * WebhookEndpoint.builder("crm", url).secretSource(secrets.of("crm", WebhookSecret.parse(configured)))…
 * new WebhookSwitchboard(secrets, crm)
 * }</pre>
 */
public final class JdbcWebhookSecrets implements WebhookSecretRotation {
    /** How long requests are also signed with the previous secret. */
    public static final Duration DEFAULT_OVERLAP = Duration.ofHours(24);

    private static final Logger LOG = System.getLogger(JdbcWebhookSecrets.class.getName());
    private static final Duration FRESH = Duration.ofSeconds(5);
    private static final int KEY_BYTES = 32;

    private final DataSource dataSource;
    private final Flavor flavor;
    private final SecretBox box;
    private final HandOver handOver;
    private final Duration overlap;
    private final Duration fresh;
    private final Map<String, Rotated> known = new ConcurrentHashMap<>();

    private JdbcWebhookSecrets(DataSource dataSource, byte[] key, HandOver handOver, Duration overlap, Duration fresh) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("the key for webhook secrets must have " + KEY_BYTES + " bytes, not "
                    + key.length + "; generate one with: openssl rand -base64 32");
        }
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.flavor = Flavor.detect(dataSource);
        this.box = new SecretBox(
                new SecretKeySpec(key, "AES"),
                "webhook secret %s cannot be decrypted: was the key changed? Restore the old key, or delete the row and"
                        + " rotate again");
        this.handOver = Objects.requireNonNull(handOver, "handOver");
        this.overlap = Objects.requireNonNull(overlap, "overlap");
        this.fresh = fresh;
    }

    /** Passes a new secret to the receiver, for example through a vault. If it fails, the secret is never used. */
    @FunctionalInterface
    public interface HandOver {
        void accept(WebhookEndpoint endpoint, WebhookSecret secret) throws Exception;
    }

    /**
     * Creates the table if it is missing.
     *
     * @param key 32 bytes that are not in this database
     * @throws IllegalStateException if the table cannot be created
     */
    public static JdbcWebhookSecrets on(DataSource dataSource, byte[] key, HandOver handOver) {
        return on(dataSource, key, handOver, DEFAULT_OVERLAP);
    }

    /** @param overlap how long requests are also signed with the previous secret */
    public static JdbcWebhookSecrets on(DataSource dataSource, byte[] key, HandOver handOver, Duration overlap) {
        return on(dataSource, key, handOver, overlap, FRESH);
    }

    static JdbcWebhookSecrets on(
            DataSource dataSource, byte[] key, HandOver handOver, Duration overlap, Duration fresh) {
        JdbcWebhookSecrets secrets = new JdbcWebhookSecrets(dataSource, key, handOver, overlap, fresh);
        SchemaFile schema = SchemaFile.ofNodes(secrets.flavor.database());
        try {
            schema.apply(dataSource);
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "cannot create the table outbox_webhook_secret: " + e.getMessage() + "; run " + schema.file()
                            + " of outbox-control-center as a user that may create tables",
                    e);
        }
        return secrets;
    }

    /**
     * The secrets of an endpoint, for {@link WebhookEndpoint.Builder#secretSource}.
     *
     * @param configured used until a secret was rotated
     */
    public Supplier<List<WebhookSecret>> of(String endpoint, WebhookSecret... configured) {
        List<WebhookSecret> first = List.of(configured);
        return () -> rotated(endpoint).signers(first);
    }

    @Override
    public String rotate(WebhookEndpoint endpoint) throws Exception {
        WebhookSecret fresh = WebhookSecret.generate();
        handOver.accept(endpoint, fresh);
        String id = Ulid.next();
        String name = endpoint.name();
        Instant now = UnitOfWork.run(dataSource::getConnection, conn -> {
            Instant time = flavor.clock(conn);
            List<String> before = ids(conn, name);
            new Sql(
                            flavor,
                            "INSERT INTO outbox_webhook_secret (id, endpoint, sealed, created_at) VALUES (?, ?, ?, ?)",
                            id,
                            name,
                            box.close(bound(id, name), fresh.reveal()),
                            time)
                    .update(conn);
            if (before.size() > 1) {
                new Sql(flavor, "DELETE FROM outbox_webhook_secret WHERE id IN ")
                        .addList(before.subList(1, before.size()))
                        .update(conn);
            }
            return time;
        });
        known.remove(name);
        return "requests are signed with a new secret from now on, and with the previous one too until "
                + now.plus(overlap);
    }

    /** Newest first. */
    private List<String> ids(Connection conn, String endpoint) throws SQLException {
        return new Sql(flavor, "SELECT id FROM outbox_webhook_secret WHERE endpoint = ? ORDER BY id DESC", endpoint)
                .query(conn, row -> row.getString(1));
    }

    /** Binds the encrypted secret to its endpoint: it cannot be used in the row of another one. */
    private static String bound(String id, String endpoint) {
        return id + " of " + endpoint;
    }

    private Rotated rotated(String endpoint) {
        Rotated last = known.get(endpoint);
        if (last != null && System.nanoTime() - last.readNanos < fresh.toNanos()) {
            return last;
        }
        try {
            Rotated now = UnitOfWork.run(dataSource::getConnection, conn -> read(conn, endpoint));
            known.put(endpoint, now);
            return now;
        } catch (SQLException | RuntimeException e) {
            if (last == null) {
                throw new IllegalStateException(
                        "cannot read the secrets of endpoint " + endpoint + "; requests fail until they can be signed",
                        e);
            }
            LOG.log(
                    Level.WARNING,
                    "cannot read the secrets of endpoint " + endpoint + "; continuing with the secrets already loaded",
                    e);
            Rotated again = last.readAgainLater();
            known.put(endpoint, again);
            return again;
        }
    }

    private Rotated read(Connection conn, String endpoint) throws SQLException {
        List<Instant> times = new ArrayList<>();
        List<WebhookSecret> secrets = new Sql(
                        flavor,
                        "SELECT id, sealed, created_at FROM outbox_webhook_secret WHERE endpoint = ?"
                                + " ORDER BY id DESC LIMIT 2",
                        endpoint)
                .query(conn, row -> {
                    times.add(flavor.time(row, 3));
                    return WebhookSecret.parse(box.open(bound(row.getString(1), endpoint), row.getString(2)));
                });
        Duration since = times.isEmpty() ? Duration.ZERO : Duration.between(times.get(0), flavor.clock(conn));
        long now = System.nanoTime();
        return new Rotated(
                secrets.isEmpty() ? null : secrets.get(0),
                secrets.size() < 2 ? null : secrets.get(1),
                now + overlap.minus(since).toNanos(),
                now,
                false);
    }

    /**
     * What was read of an endpoint.
     *
     * @param overlapEnd until when the previous secret is used too, as {@link System#nanoTime}
     * @param stale whether the last attempt to read it again failed
     */
    private record Rotated(
            @Nullable WebhookSecret current,
            @Nullable WebhookSecret before,
            long overlapEnd,
            long readNanos,
            boolean stale) {
        List<WebhookSecret> signers(List<WebhookSecret> configured) {
            if (current == null) {
                return configured;
            }
            List<WebhookSecret> signers = new ArrayList<>(List.of(current));
            if (System.nanoTime() - overlapEnd < 0) {
                signers.addAll(before == null ? configured : List.of(before));
            }
            return signers;
        }

        Rotated readAgainLater() {
            return new Rotated(current, before, overlapEnd, System.nanoTime(), true);
        }
    }
}
