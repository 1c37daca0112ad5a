package outbox.control.alert;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.node.db.Flavor;
import outbox.node.db.Sql;
import outbox.spi.UnitOfWork;
import outbox.util.Ulid;

/** Stores rules, alerts, mutes and sent notifications. Thread-safe. */
final class AlertStore {
    private static final String ALERT =
            "SELECT a.id, a.rule_id, a.application, a.subject, a.reading, a.since, a.over_at FROM outbox_cc_alert a";
    private static final int MAX_FIRING = 2000;

    private final DataSource dataSource;
    private final Flavor flavor;

    AlertStore(DataSource dataSource, Flavor flavor) {
        this.dataSource = dataSource;
        this.flavor = flavor;
    }

    /** A query with its own connection. */
    @FunctionalInterface
    private interface Query<T> {
        T run(Connection conn) throws SQLException;
    }

    private <T> T read(Query<T> query) throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            return query.run(conn);
        }
    }

    private int change(Sql sql) throws SQLException {
        return UnitOfWork.run(dataSource::getConnection, sql::update);
    }

    Instant now() throws SQLException {
        return read(flavor::clock);
    }

    /** Whether there is nothing to evaluate: no rule, and no firing alert of a deleted rule. */
    boolean isIdle() throws SQLException {
        return read(conn -> new Sql(
                        flavor,
                        "SELECT 1 FROM (SELECT id FROM outbox_cc_alert_rule UNION ALL SELECT id FROM outbox_cc_alert WHERE"
                                + " over_at IS NULL) something LIMIT 1")
                .query(conn, row -> row.getInt(1))
                .isEmpty());
    }

    // ---- rules --------------------------------------------------------------------------------------------------

    List<AlertRule> rules() throws SQLException {
        return read(conn -> new Sql(
                        flavor,
                        "SELECT id, name, application, metric, threshold, for_seconds, reminder_minutes, channels, enabled"
                                + " FROM outbox_cc_alert_rule ORDER BY name, id LIMIT 500")
                .query(conn, AlertStore::rule));
    }

    private static AlertRule rule(ResultSet row) throws SQLException {
        String channels = row.getString(8);
        return new AlertRule(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                AlertMetric.parse(row.getString(4)),
                row.getDouble(5),
                row.getInt(6),
                row.getInt(7),
                channels.isEmpty() ? List.of() : Arrays.asList(channels.split(",", -1)),
                row.getInt(9) == 1);
    }

    void insert(AlertRule rule, String createdBy, Instant now) throws SQLException {
        change(new Sql(
                flavor,
                "INSERT INTO outbox_cc_alert_rule (id, name, application, metric, threshold, for_seconds,"
                        + " reminder_minutes, channels, enabled, created_by, created_at)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rule.id(),
                rule.name(),
                rule.application(),
                rule.metric().key(),
                rule.threshold(),
                rule.forSeconds(),
                rule.reminderMinutes(),
                String.join(",", rule.channels()),
                rule.enabled() ? 1 : 0,
                createdBy,
                now));
    }

    boolean update(AlertRule rule) throws SQLException {
        return change(new Sql(
                        flavor,
                        "UPDATE outbox_cc_alert_rule SET name = ?, application = ?, metric = ?, threshold = ?,"
                                + " for_seconds = ?, reminder_minutes = ?, channels = ?, enabled = ? WHERE id = ?",
                        rule.name(),
                        rule.application(),
                        rule.metric().key(),
                        rule.threshold(),
                        rule.forSeconds(),
                        rule.reminderMinutes(),
                        String.join(",", rule.channels()),
                        rule.enabled() ? 1 : 0,
                        rule.id()))
                > 0;
    }

    boolean deleteRule(String id) throws SQLException {
        return change(new Sql(flavor, "DELETE FROM outbox_cc_alert_rule WHERE id = ?", id)) > 0;
    }

    // ---- alerts -------------------------------------------------------------------------------------------------

    List<Alert> firing() throws SQLException {
        return read(conn -> new Sql(flavor, ALERT + " WHERE a.over_at IS NULL ORDER BY a.id LIMIT ?", MAX_FIRING)
                .query(conn, this::alert));
    }

    List<Alert> recent(String application, int limit) throws SQLException {
        return read(conn -> new Sql(
                        flavor, ALERT + " WHERE a.application = ? ORDER BY a.id DESC LIMIT ?", application, limit)
                .query(conn, this::alert));
    }

    private Alert alert(ResultSet row) throws SQLException {
        return new Alert(
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getDouble(5),
                flavor.time(row, 6),
                flavor.optionalTime(row, 7));
    }

    Alert begin(AlertRule rule, String application, Reading reading, Instant since) throws SQLException {
        Alert alert = new Alert(Ulid.next(), rule.id(), application, reading.subject(), reading.value(), since, null);
        change(new Sql(
                flavor,
                "INSERT INTO outbox_cc_alert (id, rule_id, application, subject, reading, since) VALUES (?, ?, ?, ?, ?, ?)",
                alert.id(),
                alert.ruleId(),
                application,
                alert.subject(),
                alert.reading(),
                since));
        return alert;
    }

    void reading(Alert alert, double value) throws SQLException {
        change(new Sql(flavor, "UPDATE outbox_cc_alert SET reading = ? WHERE id = ?", value, alert.id()));
    }

    void end(Alert alert, Instant at) throws SQLException {
        change(new Sql(
                flavor, "UPDATE outbox_cc_alert SET over_at = ? WHERE id = ? AND over_at IS NULL", at, alert.id()));
    }

    void forget(Alert alert) throws SQLException {
        UnitOfWork.run(dataSource::getConnection, conn -> {
            new Sql(flavor, "DELETE FROM outbox_cc_alert_notice WHERE alert_id = ?", alert.id()).update(conn);
            return new Sql(flavor, "DELETE FROM outbox_cc_alert WHERE id = ?", alert.id()).update(conn);
        });
    }

    // ---- notices ------------------------------------------------------------------------------------------------

    /** @param notifiedAt when the channel was last notified; {@code null} if never */
    record PendingNotice(
            Alert alert, int notified, @Nullable Instant notifiedAt) {}

    static final int NOTIFIED_BEGIN = 1;
    static final int NOTIFIED_END = 2;

    /** Firing alerts, and alerts that are over and whose end the channel was not notified of. */
    List<PendingNotice> open(String channelId) throws SQLException {
        return read(conn -> new Sql(
                        flavor,
                        ALERT.replace(" FROM", ", n.notified, n.notified_at FROM")
                                + " LEFT JOIN outbox_cc_alert_notice n ON n.alert_id = a.id AND n.channel_id = ?"
                                + " WHERE a.over_at IS NULL OR n.notified = ? ORDER BY a.application, a.id LIMIT ?",
                        channelId,
                        NOTIFIED_BEGIN,
                        MAX_FIRING)
                .query(conn, row -> new PendingNotice(alert(row), row.getInt(8), flavor.optionalTime(row, 9))));
    }

    void notified(List<PendingNotice> notices, String channelId, Instant at) throws SQLException {
        UnitOfWork.run(dataSource::getConnection, conn -> {
            for (PendingNotice one : notices) {
                new Sql(
                                flavor,
                                "DELETE FROM outbox_cc_alert_notice WHERE alert_id = ? AND channel_id = ?",
                                one.alert().id(),
                                channelId)
                        .update(conn);
                new Sql(
                                flavor,
                                "INSERT INTO outbox_cc_alert_notice (alert_id, channel_id, notified, notified_at) VALUES (?, ?, ?, ?)",
                                one.alert().id(),
                                channelId,
                                one.alert().overAt() == null ? NOTIFIED_BEGIN : NOTIFIED_END,
                                at)
                        .update(conn);
            }
            return notices.size();
        });
    }

    // ---- mutes --------------------------------------------------------------------------------------------------

    List<Mute> mutes(Instant now) throws SQLException {
        return read(conn -> new Sql(
                        flavor,
                        "SELECT id, application, rule_id, reason, until_at, created_by FROM outbox_cc_mute"
                                + " WHERE until_at > ? ORDER BY until_at LIMIT 500",
                        now)
                .query(
                        conn,
                        row -> new Mute(
                                row.getString(1),
                                row.getString(2),
                                row.getString(3),
                                row.getString(4),
                                flavor.time(row, 5),
                                row.getString(6))));
    }

    void insert(Mute mute, Instant now) throws SQLException {
        change(new Sql(
                flavor,
                "INSERT INTO outbox_cc_mute (id, application, rule_id, reason, until_at, created_by, created_at)"
                        + " VALUES (?, ?, ?, ?, ?, ?, ?)",
                mute.id(),
                mute.application(),
                mute.ruleId(),
                mute.reason(),
                mute.until(),
                mute.createdBy(),
                now));
    }

    boolean deleteMute(String application, String id) throws SQLException {
        return change(new Sql(flavor, "DELETE FROM outbox_cc_mute WHERE id = ? AND application = ?", id, application))
                > 0;
    }

    // ---- deliveries ---------------------------------------------------------------------------------------------

    void log(Channels.Channel channel, String title, @Nullable String error, Instant at) throws SQLException {
        change(new Sql(
                flavor,
                "INSERT INTO outbox_cc_alert_delivery (id, sent_at, channel_id, channel, title, error)"
                        + " VALUES (?, ?, ?, ?, ?, ?)",
                Ulid.next(),
                at,
                channel.id(),
                channel.name(),
                title,
                error == null ? null : error.substring(0, Math.min(error.length(), 500))));
    }

    int deliveredSince(String channelId, Instant since) throws SQLException {
        return read(conn -> new Sql(
                                flavor,
                                "SELECT COUNT(*) FROM outbox_cc_alert_delivery WHERE channel_id = ? AND sent_at > ?"
                                        + " AND error IS NULL",
                                channelId,
                                since)
                        .query(conn, row -> row.getInt(1)))
                .get(0);
    }

    List<Alerts.Delivery> deliveries(int limit) throws SQLException {
        return read(conn -> new Sql(
                        flavor,
                        "SELECT id, sent_at, channel, title, error FROM outbox_cc_alert_delivery"
                                + " ORDER BY id DESC LIMIT ?",
                        limit)
                .query(
                        conn,
                        row -> new Alerts.Delivery(
                                row.getString(1),
                                flavor.time(row, 2),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5))));
    }

    /** Deletes alerts, messages and mutes after their retention. */
    void purge(Instant now, Duration kept) throws SQLException {
        Instant limit = now.minus(kept);
        change(new Sql(
                flavor,
                "DELETE FROM outbox_cc_alert_notice WHERE alert_id IN"
                        + " (SELECT id FROM outbox_cc_alert WHERE over_at < ?)",
                limit));
        change(new Sql(flavor, "DELETE FROM outbox_cc_alert WHERE over_at < ?", limit));
        change(new Sql(flavor, "DELETE FROM outbox_cc_alert_delivery WHERE sent_at < ?", limit));
        change(new Sql(flavor, "DELETE FROM outbox_cc_mute WHERE until_at < ?", limit));
    }
}
