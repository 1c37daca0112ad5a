package outbox.control.alert;

import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.alert.AlertChannel;
import outbox.alert.AlertChannels;
import outbox.alert.AlertMessage;
import outbox.node.db.Flavor;
import outbox.node.db.SecretBox;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;
import outbox.util.JsonCodec;
import outbox.util.Ulid;
import outbox.webhook.WebhookSecret;

/** Alert channels created by admins. Their settings are stored encrypted and never shown again. Thread-safe. */
public final class Channels {
    private static final int MAX_SETTING = 1000;

    private final DataSource dataSource;
    private final Flavor flavor;
    private final SecretBox box;
    private final AlertChannels senders;
    private final @Nullable Function<List<String>, AlertChannel> mail;

    /** @param mail creates a channel to these addresses; {@code null} if no mail server is configured */
    Channels(
            DataSource dataSource,
            Flavor flavor,
            SecretBox box,
            AlertChannels senders,
            @Nullable Function<List<String>, AlertChannel> mail) {
        this.dataSource = dataSource;
        this.flavor = flavor;
        this.box = box;
        this.senders = senders;
        this.mail = mail;
    }

    /** @param hint the part of the settings that may be shown: a host, or the addresses */
    public record Channel(String id, String name, ChannelKind kind, String hint, String createdBy, Instant createdAt) {}

    /** Whether mail channels can be created. */
    public boolean hasMail() {
        return mail != null;
    }

    public List<Channel> all() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return new Sql(
                            flavor,
                            "SELECT id, name, kind, hint, created_by, created_at FROM outbox_cc_channel ORDER BY name LIMIT 500")
                    .query(
                            conn,
                            row -> new Channel(
                                    row.getString(1),
                                    row.getString(2),
                                    ChannelKind.parse(row.getString(3)),
                                    row.getString(4),
                                    row.getString(5),
                                    flavor.time(row, 6)));
        }
    }

    /**
     * @param settings {@code url} and, for kinds that sign, {@code secret}; for mail {@code to}, separated by commas
     * @throws IllegalArgumentException if a setting is missing or not allowed, or the name is taken
     */
    public Channel create(String name, String kindKey, Map<String, String> settings, String createdBy, Instant now)
            throws SQLException {
        ChannelKind kind = ChannelKind.parse(kindKey);
        if (name.isBlank() || name.length() > 64) {
            throw new IllegalArgumentException("a channel needs a name of at most 64 characters");
        }
        if (all().stream().anyMatch(channel -> channel.name().equals(name))) {
            throw new IllegalArgumentException("there is a channel '" + name + "' already");
        }
        Map<String, String> kept = new LinkedHashMap<>();
        for (String key : List.of("url", "secret", "to")) {
            String value = settings.get(key);
            if (value != null && !value.isBlank()) {
                if (value.length() > MAX_SETTING) {
                    throw new IllegalArgumentException("'" + key + "' is longer than " + MAX_SETTING + " characters");
                }
                kept.put(key, value.strip());
            }
        }
        sender(kind, kept); // validates the settings
        Channel channel = new Channel(Ulid.next(), name, kind, hint(kind, kept), createdBy, now);
        String sealed =
                box.close(channel.id(), String.valueOf(JsonCodec.getDefault().toJson(kept)));
        UnitOfWork.run(
                dataSource::getConnection,
                conn -> new Sql(
                                flavor,
                                "INSERT INTO outbox_cc_channel (id, name, kind, settings, hint, created_by, created_at)"
                                        + " VALUES (?, ?, ?, ?, ?, ?, ?)",
                                channel.id(),
                                name,
                                kind.key(),
                                sealed,
                                channel.hint(),
                                createdBy,
                                now)
                        .update(conn));
        return channel;
    }

    private static String hint(ChannelKind kind, Map<String, String> settings) {
        String shown = kind == ChannelKind.MAIL
                ? required(settings, "to")
                : String.valueOf(URI.create(required(settings, "url")).getHost());
        return shown.length() <= 255 ? shown : shown.substring(0, 254) + "…";
    }

    /** @return whether there was such a channel */
    public boolean delete(String id) throws SQLException {
        return UnitOfWork.run(dataSource::getConnection, conn -> {
            new Sql(flavor, "DELETE FROM outbox_cc_alert_notice WHERE channel_id = ?", id).update(conn);
            return new Sql(flavor, "DELETE FROM outbox_cc_channel WHERE id = ?", id).update(conn) > 0;
        });
    }

    /** @throws IOException if it is not certain that the message was delivered */
    void send(Channel channel, AlertMessage message) throws IOException, SQLException {
        String sealed;
        try (Connection conn = dataSource.getConnection()) {
            sealed = new Sql(flavor, "SELECT settings FROM outbox_cc_channel WHERE id = ?", channel.id())
                    .first(conn, row -> row.getString(1));
        }
        if (sealed == null) {
            throw new IOException("channel " + channel.name() + " was deleted");
        }
        try {
            Map<String, String> settings = JsonCodec.getDefault().parseObject(box.open(channel.id(), sealed));
            sender(channel.kind(), settings).send(message);
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw new IOException(String.valueOf(e.getMessage()), e);
        }
    }

    private AlertChannel sender(ChannelKind kind, Map<String, String> settings) {
        return switch (kind) {
            case DINGTALK -> senders.dingTalk(url(settings), settings.get("secret"));
            case FEISHU -> senders.feishu(url(settings), settings.get("secret"));
            case WECOM -> senders.weCom(url(settings));
            case SLACK -> senders.slack(url(settings));
            case WEBHOOK -> senders.webhook(url(settings), WebhookSecret.parse(required(settings, "secret")));
            case MAIL -> mail(settings);
        };
    }

    private AlertChannel mail(Map<String, String> settings) {
        if (mail == null) {
            throw new IllegalArgumentException(
                    "no mail server is configured: set outbox.control-center.alerts.mail.host and .from");
        }
        return mail.apply(List.of(required(settings, "to").split("[,;\\s]+", -1)));
    }

    private static URI url(Map<String, String> settings) {
        try {
            return URI.create(required(settings, "url"));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "the URL of the channel is missing or not a URL"); // without the URL, which may contain a secret
        }
    }

    private static String required(Map<String, String> settings, String key) {
        String value = settings.get(key);
        if (value == null) {
            throw new IllegalArgumentException("this kind of channel needs '" + key + "'");
        }
        return value;
    }
}
