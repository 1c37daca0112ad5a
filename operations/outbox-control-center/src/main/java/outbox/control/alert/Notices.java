package outbox.control.alert;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.alert.AlertMessage;
import outbox.control.alert.AlertStore.PendingNotice;

/**
 * Notifies each channel of alerts that started or ended, with one message per evaluation. The number of messages per
 * channel in ten minutes is limited; the rest follows as a digest. Failed channels are retried with a growing delay.
 * Used by one thread.
 */
final class Notices {
    static final int MESSAGES = 6;
    static final Duration WINDOW = Duration.ofMinutes(10);

    private static final Logger LOG = System.getLogger(Notices.class.getName());
    private static final int LINES = 12;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(15);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(5);

    private final AlertStore store;
    private final Channels channels;
    private final @Nullable String publicUrl;
    private final Map<String, Backoff> backoffs = new HashMap<>();
    private final Map<String, Boolean> heldBack = new HashMap<>();

    private record Backoff(int failures, Instant retryAt) {}

    Notices(AlertStore store, Channels channels, @Nullable String publicUrl) {
        this.store = store;
        this.channels = channels;
        this.publicUrl = publicUrl;
    }

    void run(List<AlertRule> rules, Instant now) throws SQLException {
        Map<String, AlertRule> byId = rules.stream().collect(Collectors.toMap(AlertRule::id, Function.identity()));
        List<Mute> mutes = store.mutes(now);
        for (Channels.Channel channel : channels.all()) {
            Backoff backoff = backoffs.get(channel.id());
            if (backoff == null || !now.isBefore(backoff.retryAt())) {
                notifyChannel(channel, byId, mutes, now);
            }
        }
    }

    private void notifyChannel(Channels.Channel channel, Map<String, AlertRule> rules, List<Mute> mutes, Instant now)
            throws SQLException {
        List<PendingNotice> due = new ArrayList<>();
        List<PendingNotice> silenced = new ArrayList<>();
        for (PendingNotice one : store.open(channel.id())) {
            AlertRule rule = rules.get(one.alert().ruleId());
            if (rule == null || !rule.channels().contains(channel.id())) {
                continue;
            }
            boolean muted = mutes.stream().anyMatch(mute -> mute.covers(one.alert()));
            if (one.alert().overAt() != null) {
                (muted ? silenced : due).add(one);
            } else if (!muted && isDue(one, rule, now)) {
                due.add(one);
            }
        }
        if (!silenced.isEmpty()) {
            store.notified(silenced, channel.id(), now);
        }
        if (due.isEmpty()) {
            heldBack.remove(channel.id());
        } else if (store.deliveredSince(channel.id(), now.minus(WINDOW)) >= MESSAGES) {
            heldBack.put(channel.id(), true);
        } else {
            send(channel, due, rules, now);
        }
    }

    private static boolean isDue(PendingNotice one, AlertRule rule, Instant now) {
        if (one.notifiedAt() == null) {
            return true;
        }
        return rule.reminderMinutes() > 0
                && !now.isBefore(one.notifiedAt().plus(Duration.ofMinutes(rule.reminderMinutes())));
    }

    private void send(Channels.Channel channel, List<PendingNotice> due, Map<String, AlertRule> rules, Instant now)
            throws SQLException {
        AlertMessage message = message(due, rules, heldBack.containsKey(channel.id()), now);
        try {
            channels.send(channel, message);
        } catch (IOException e) {
            Backoff before = backoffs.get(channel.id());
            int failures = before == null ? 1 : before.failures() + 1;
            Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures - 1, 10));
            Duration wait = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
            backoffs.put(channel.id(), new Backoff(failures, now.plus(wait)));
            store.log(channel, message.title(), String.valueOf(e.getMessage()), now);
            LOG.log(
                    Level.WARNING,
                    "alert channel " + channel.name() + " failed; retrying in " + wait.toSeconds() + " s: "
                            + e.getMessage());
            return;
        }
        backoffs.remove(channel.id());
        heldBack.remove(channel.id());
        store.notified(due, channel.id(), now);
        store.log(channel, message.title(), null, now);
    }

    private AlertMessage message(List<PendingNotice> due, Map<String, AlertRule> rules, boolean digest, Instant now) {
        List<String> lines = new ArrayList<>();
        due.stream().limit(LINES).forEach(one -> lines.add(line(one, rules, now)));
        if (due.size() > LINES) {
            lines.add("… and " + (due.size() - LINES) + " more");
        }
        long over = due.stream().filter(one -> one.alert().overAt() != null).count();
        String title;
        if (due.size() == 1 && !digest) {
            title = lines.remove(0);
        } else {
            title = (digest ? "Digest: " : "") + (due.size() - over) + " alert(s), " + over + " over, in "
                    + due.stream()
                            .map(one -> one.alert().application())
                            .distinct()
                            .limit(5)
                            .collect(Collectors.joining(", "));
        }
        lines.addAll(runbooks(due, rules));
        return new AlertMessage(
                over == due.size() ? AlertMessage.Kind.RECOVERY : AlertMessage.Kind.PROBLEM,
                "[outbox] " + title,
                lines,
                publicUrl == null
                        ? null
                        : URI.create(publicUrl + "#/" + due.get(0).alert().application() + "/alerts"));
    }

    /** Where it says what to do, a line for each kind of alert that fires. */
    private List<String> runbooks(List<PendingNotice> due, Map<String, AlertRule> rules) {
        return due.stream()
                .filter(one -> one.alert().overAt() == null)
                .map(one -> rules.get(one.alert().ruleId()))
                .filter(Objects::nonNull)
                .map(rule -> rule.metric().runbook())
                .distinct()
                .map(page -> "What to do: " + (publicUrl == null ? "docs/" : publicUrl) + page)
                .toList();
    }

    private static String line(PendingNotice one, Map<String, AlertRule> rules, Instant now) {
        Alert alert = one.alert();
        AlertRule rule = rules.get(alert.ruleId());
        String what = rule == null ? "" : rule.metric().describe(alert.reading());
        String about = alert.application() + (alert.subject().isEmpty() ? "" : " · " + alert.subject());
        if (alert.overAt() != null) {
            long minutes = Duration.between(alert.since(), alert.overAt()).toMinutes();
            return "Over: " + about + ": " + (rule == null ? "" : rule.name()) + ", after " + minutes + " min";
        }
        String again = one.notified() == AlertStore.NOTIFIED_BEGIN ? "Still: " : "";
        return again + about + ": " + what + " (" + (rule == null ? "" : rule.name()) + ", since "
                + Duration.between(alert.since(), now).toMinutes() + " min)";
    }
}
