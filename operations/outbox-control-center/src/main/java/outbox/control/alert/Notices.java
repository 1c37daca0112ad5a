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
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import outbox.alert.AlertMessage;
import outbox.control.alert.AlertStore.Untold;

/**
 * Tells each channel what it does not know yet: everything of one turn in one message. A channel gets so many messages in
 * ten minutes and no more; what is left comes as a digest when there is room again. One that fails is tried again, later
 * each time. Used by one thread.
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
    private final Map<String, Trouble> troubles = new HashMap<>();
    private final Map<String, Boolean> heldBack = new HashMap<>();

    private record Trouble(int failures, Instant retryAt) {}

    Notices(AlertStore store, Channels channels, @Nullable String publicUrl) {
        this.store = store;
        this.channels = channels;
        this.publicUrl = publicUrl;
    }

    void run(List<AlertRule> rules, Instant now) throws SQLException {
        Map<String, AlertRule> byId = rules.stream().collect(Collectors.toMap(AlertRule::id, Function.identity()));
        List<Mute> mutes = store.mutes(now);
        for (Channels.Channel channel : channels.all()) {
            Trouble trouble = troubles.get(channel.id());
            if (trouble == null || !now.isBefore(trouble.retryAt())) {
                tell(channel, byId, mutes, now);
            }
        }
    }

    private void tell(Channels.Channel channel, Map<String, AlertRule> rules, List<Mute> mutes, Instant now)
            throws SQLException {
        List<Untold> news = new ArrayList<>();
        List<Untold> unsaid = new ArrayList<>();
        for (Untold one : store.open(channel.id())) {
            AlertRule rule = rules.get(one.alert().ruleId());
            if (rule == null || !rule.channels().contains(channel.id())) {
                continue;
            }
            boolean muted = mutes.stream().anyMatch(mute -> mute.covers(one.alert()));
            if (one.alert().overAt() != null) {
                (muted ? unsaid : news).add(one);
            } else if (!muted && isDue(one, rule, now)) {
                news.add(one);
            }
        }
        if (!unsaid.isEmpty()) {
            store.told(unsaid, channel.id(), now);
        }
        if (news.isEmpty()) {
            heldBack.remove(channel.id());
        } else if (store.deliveredSince(channel.id(), now.minus(WINDOW)) >= MESSAGES) {
            heldBack.put(channel.id(), true);
        } else {
            send(channel, news, rules, now);
        }
    }

    private static boolean isDue(Untold one, AlertRule rule, Instant now) {
        if (one.toldAt() == null) {
            return true;
        }
        return rule.reminderMinutes() > 0
                && !now.isBefore(one.toldAt().plus(Duration.ofMinutes(rule.reminderMinutes())));
    }

    private void send(Channels.Channel channel, List<Untold> news, Map<String, AlertRule> rules, Instant now)
            throws SQLException {
        AlertMessage message = message(news, rules, heldBack.containsKey(channel.id()), now);
        try {
            channels.send(channel, message);
        } catch (IOException e) {
            Trouble before = troubles.get(channel.id());
            int failures = before == null ? 1 : before.failures() + 1;
            Duration pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures - 1, 10));
            Duration wait = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
            troubles.put(channel.id(), new Trouble(failures, now.plus(wait)));
            store.log(channel, message.title(), String.valueOf(e.getMessage()), now);
            LOG.log(
                    Level.WARNING,
                    "alert channel " + channel.name() + " failed; tried again in " + wait.toSeconds() + " s: "
                            + e.getMessage());
            return;
        }
        troubles.remove(channel.id());
        heldBack.remove(channel.id());
        store.told(news, channel.id(), now);
        store.log(channel, message.title(), null, now);
    }

    private AlertMessage message(List<Untold> news, Map<String, AlertRule> rules, boolean digest, Instant now) {
        List<String> lines = new ArrayList<>();
        news.stream().limit(LINES).forEach(one -> lines.add(line(one, rules, now)));
        if (news.size() > LINES) {
            lines.add("… and " + (news.size() - LINES) + " more");
        }
        long over = news.stream().filter(one -> one.alert().overAt() != null).count();
        String title;
        if (news.size() == 1 && !digest) {
            title = lines.remove(0);
        } else {
            title = (digest ? "Digest: " : "") + (news.size() - over) + " alert(s), " + over + " over, in "
                    + news.stream()
                            .map(one -> one.alert().application())
                            .distinct()
                            .limit(5)
                            .collect(Collectors.joining(", "));
        }
        return new AlertMessage(
                over == news.size() ? AlertMessage.Kind.RECOVERY : AlertMessage.Kind.PROBLEM,
                "[outbox] " + title,
                lines,
                publicUrl == null
                        ? null
                        : URI.create(publicUrl + "#/" + news.get(0).alert().application() + "/alerts"));
    }

    private static String line(Untold one, Map<String, AlertRule> rules, Instant now) {
        Alert alert = one.alert();
        AlertRule rule = rules.get(alert.ruleId());
        String what = rule == null ? "" : rule.metric().describe(alert.reading());
        String about = alert.application() + (alert.subject().isEmpty() ? "" : " · " + alert.subject());
        if (alert.overAt() != null) {
            long minutes = Duration.between(alert.since(), alert.overAt()).toMinutes();
            return "Over: " + about + ": " + (rule == null ? "" : rule.name()) + ", after " + minutes + " min";
        }
        String again = one.told() == AlertStore.TOLD_BEGIN ? "Still: " : "";
        return again + about + ": " + what + " (" + (rule == null ? "" : rule.name()) + ", since "
                + Duration.between(alert.since(), now).toMinutes() + " min)";
    }
}
