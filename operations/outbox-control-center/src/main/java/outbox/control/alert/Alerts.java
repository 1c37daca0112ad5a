package outbox.control.alert;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.crypto.SecretKey;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import outbox.alert.AlertChannel;
import outbox.alert.AlertChannels;
import outbox.alert.AlertMessage;
import outbox.node.db.Flavor;
import outbox.node.db.SecretBox;
import outbox.util.DaemonThreadFactory;
import outbox.util.FailureLog;
import outbox.util.Loop;
import outbox.util.Ulid;
import outbox.webhook.WebhookClient;

/**
 * Watches the rules and tells people. Of several control centers on one database one does it, elected by a lease; if it
 * goes away another one takes over within a minute. Thread-safe.
 */
public final class Alerts implements AutoCloseable {
    /** How often rules are looked at. */
    public static final Duration DEFAULT_INTERVAL = Duration.ofSeconds(10);

    private static final Logger LOG = System.getLogger(Alerts.class.getName());
    private static final Duration TERM = Duration.ofSeconds(45);
    private static final Duration KEPT = Duration.ofDays(30);
    private static final Duration PURGE_EVERY = Duration.ofHours(1);
    private static final Duration LONGEST_MUTE = Duration.ofDays(30);

    private final AlertStore store;
    private final Channels channels;
    private final Leadership leadership;
    private final Evaluation evaluation;
    private final Notices notices;
    private final Collection<String> applications;
    private final WebhookClient client;
    private final Duration interval;
    private final Loop loop;
    private boolean closed; // guarded by this
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "looking for alerts");
    private long purgeDue = System.nanoTime(); // by the loop alone

    /**
     * What was sent.
     *
     * @param error {@code null} if it arrived
     */
    public record Delivery(
            String id,
            Instant at,
            String channel,
            String title,
            @Nullable String error) {}

    /**
     * How alerts are set up.
     *
     * @param key for AES, under which settings of channels are encrypted
     * @param client through which every request goes
     * @param mail makes a channel to these addresses; {@code null} if no mail server was configured
     * @param publicUrl where people reach the control center; {@code null} to send no links
     */
    public record Setup(
            SecretKey key,
            WebhookClient client,
            @Nullable Function<List<String>, AlertChannel> mail,
            @Nullable String publicUrl,
            Duration interval) {}

    public Alerts(DataSource dataSource, Collection<String> applications, Readings readings, Setup setup) {
        Flavor flavor = Flavor.detect(dataSource);
        this.store = new AlertStore(dataSource, flavor);
        this.client = setup.client();
        this.channels = new Channels(
                dataSource,
                flavor,
                new SecretBox(
                        setup.key(),
                        "the settings of channel %s cannot be read: was the key of the control center changed?"
                                + " Make the channel anew"),
                new AlertChannels(setup.client()),
                setup.mail());
        this.leadership = new Leadership(dataSource, flavor, "alerts", TERM);
        this.evaluation = new Evaluation(store, readings);
        this.notices = new Notices(store, channels, setup.publicUrl());
        this.applications = List.copyOf(applications);
        this.interval = setup.interval();
        this.loop = new Loop("alerts", new DaemonThreadFactory("outbox-control-alerts-"), this::turn);
    }

    public Alerts start() {
        loop.start();
        return this;
    }

    private boolean turn() throws InterruptedException {
        try {
            look();
            failures.succeeded();
        } catch (SQLException | RuntimeException e) {
            failures.failed("could not look for alerts; tried again every " + interval.toSeconds() + " s", e);
        }
        synchronized (this) {
            long end = System.nanoTime() + interval.toNanos();
            long left = interval.toNanos();
            while (!closed && left > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, left));
                left = end - System.nanoTime();
            }
            return !closed;
        }
    }

    /**
     * Looks now, on the caller's thread. Without rules and without an alert that is still open there is nothing to look
     * for, and nobody has to be elected.
     *
     * @return whether it was ours to look
     */
    boolean look() throws SQLException {
        if (System.nanoTime() - purgeDue < 0 && store.isIdle()) {
            return false;
        }
        return leadership.hold() && look(store.now());
    }

    /** As if it were that time. */
    boolean look(Instant now) throws SQLException {
        List<AlertRule> rules = store.rules();
        evaluation.run(rules, applications, now);
        notices.run(rules, now);
        if (System.nanoTime() - purgeDue >= 0) {
            store.purge(now, KEPT);
            purgeDue = System.nanoTime() + PURGE_EVERY.toNanos();
        }
        return true;
    }

    public Channels channels() {
        return channels;
    }

    public List<AlertRule> rules() throws SQLException {
        return store.rules();
    }

    /** What goes on in an application, and what went on lately; newest first. */
    public List<Alert> of(String application) throws SQLException {
        return store.recent(application, 200);
    }

    public List<Mute> mutes(String application) throws SQLException {
        return store.mutes(store.now()).stream()
                .filter(mute -> mute.application().equals(application))
                .toList();
    }

    public List<Delivery> deliveries() throws SQLException {
        return store.deliveries(100);
    }

    /** @throws IllegalArgumentException if the metric or a channel is not known */
    public AlertRule create(AlertRule rule, String createdBy) throws SQLException {
        checkChannels(rule);
        AlertRule fresh = withId(rule, Ulid.next());
        store.insert(fresh, createdBy, store.now());
        return fresh;
    }

    /** @return whether there was such a rule */
    public boolean update(AlertRule rule) throws SQLException {
        checkChannels(rule);
        return store.update(rule);
    }

    private void checkChannels(AlertRule rule) throws SQLException {
        List<String> known = channels.all().stream().map(Channels.Channel::id).toList();
        rule.channels().stream().filter(id -> !known.contains(id)).findFirst().ifPresent(id -> {
            throw new IllegalArgumentException("there is no channel " + id);
        });
    }

    private static AlertRule withId(AlertRule rule, String id) {
        return new AlertRule(
                id,
                rule.name(),
                rule.application(),
                rule.metric(),
                rule.threshold(),
                rule.forSeconds(),
                rule.reminderMinutes(),
                rule.channels(),
                rule.enabled());
    }

    public boolean deleteRule(String id) throws SQLException {
        return store.deleteRule(id);
    }

    /**
     * @param ruleId {@code null} for all rules of the application
     * @throws IllegalArgumentException if it would last for ever, or has no reason
     */
    public Mute mute(String application, @Nullable String ruleId, String reason, Duration life, String createdBy)
            throws SQLException {
        if (life.isNegative() || life.isZero() || life.compareTo(LONGEST_MUTE) > 0) {
            throw new IllegalArgumentException("a mute lasts from a minute to " + LONGEST_MUTE.toDays() + " days");
        }
        if (reason.isBlank() || reason.length() > 500) {
            throw new IllegalArgumentException("say why, in at most 500 characters");
        }
        Instant now = store.now();
        Mute mute = new Mute(Ulid.next(), application, ruleId, reason.strip(), now.plus(life), createdBy);
        store.insert(mute, now);
        return mute;
    }

    public boolean unmute(String application, String id) throws SQLException {
        return store.deleteMute(application, id);
    }

    /** Sends a test now, and logs what came of it. @return {@code null} if it arrived, else what went wrong */
    public @Nullable String test(Channels.Channel channel, String by) throws SQLException {
        AlertMessage message = new AlertMessage(
                AlertMessage.Kind.TEST, "[outbox] Test of channel " + channel.name(), List.of("Sent by " + by), null);
        String error = null;
        try {
            channels.send(channel, message);
        } catch (IOException e) {
            error = String.valueOf(e.getMessage());
        }
        store.log(channel, message.title(), error, store.now());
        return error;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        try {
            loop.awaitEnd(TimeUnit.SECONDS.toNanos(5));
            leadership.release();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "the lead is not given back; it ends by itself", e);
        }
        client.close();
    }
}
