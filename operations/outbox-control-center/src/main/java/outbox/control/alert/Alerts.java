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
import java.util.function.Supplier;
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
 * Evaluates the rules and sends notifications. If several control centers share a database, one of them does this,
 * elected by a lease; if it stops, another one takes over within a minute. Thread-safe.
 */
public final class Alerts implements AutoCloseable {
    /** Default interval between evaluations. */
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
    private final Supplier<? extends Collection<String>> applications;
    private final WebhookClient client;
    private final Duration interval;
    private final Loop loop;
    private boolean closed; // guarded by this
    private final FailureLog failures = new FailureLog(LOG, Level.WARNING, "evaluating alert rules");
    private long purgeDue = System.nanoTime(); // only used by the loop

    /**
     * A message sent to a channel.
     *
     * @param error {@code null} if it was sent
     */
    public record Delivery(
            String id,
            Instant at,
            String channel,
            String title,
            @Nullable String error) {}

    /**
     * Configuration of alerts.
     *
     * @param key AES key that encrypts the settings of channels
     * @param client HTTP client for all requests
     * @param mail creates a channel to these addresses; {@code null} if no mail server is configured
     * @param publicUrl public URL of the control center; {@code null} to send no links
     */
    public record Setup(
            SecretKey key,
            WebhookClient client,
            @Nullable Function<List<String>, AlertChannel> mail,
            @Nullable String publicUrl,
            Duration interval) {}

    /** @param applications asked at each evaluation */
    public Alerts(
            DataSource dataSource,
            Supplier<? extends Collection<String>> applications,
            Readings readings,
            Setup setup) {
        Flavor flavor = Flavor.detect(dataSource);
        this.store = new AlertStore(dataSource, flavor);
        this.client = setup.client();
        this.channels = new Channels(
                dataSource,
                flavor,
                new SecretBox(
                        setup.key(),
                        "the settings of channel %s cannot be decrypted: was the key of the control center changed?"
                                + " Create the channel again"),
                new AlertChannels(setup.client()),
                setup.mail());
        this.leadership = new Leadership(dataSource, flavor, "alerts", TERM);
        this.evaluation = new Evaluation(store, readings);
        this.notices = new Notices(store, channels, setup.publicUrl());
        this.applications = applications;
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
            failures.failed("could not evaluate alert rules; retrying every " + interval.toSeconds() + " s", e);
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
     * Evaluates the rules now, on the caller's thread. Without rules and firing alerts there is nothing to do, and no
     * leader is elected.
     *
     * @return whether this control center is the leader
     */
    boolean look() throws SQLException {
        if (System.nanoTime() - purgeDue < 0 && store.isIdle()) {
            return false;
        }
        return leadership.hold() && look(store.now());
    }

    /** Evaluates as of the given time. */
    boolean look(Instant now) throws SQLException {
        List<AlertRule> rules = store.rules();
        evaluation.run(rules, applications.get(), now);
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

    /** Firing and recent alerts of an application; newest first. */
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
     * @throws IllegalArgumentException if the duration is too long or the reason is missing
     */
    public Mute mute(String application, @Nullable String ruleId, String reason, Duration life, String createdBy)
            throws SQLException {
        if (life.isNegative() || life.isZero() || life.compareTo(LONGEST_MUTE) > 0) {
            throw new IllegalArgumentException(
                    "a mute must last between 1 minute and " + LONGEST_MUTE.toDays() + " days");
        }
        if (reason.isBlank() || reason.length() > 500) {
            throw new IllegalArgumentException("a mute needs a reason of at most 500 characters");
        }
        Instant now = store.now();
        Mute mute = new Mute(Ulid.next(), application, ruleId, reason.strip(), now.plus(life), createdBy);
        store.insert(mute, now);
        return mute;
    }

    public boolean unmute(String application, String id) throws SQLException {
        return store.deleteMute(application, id);
    }

    /** Sends a test message now and records the result. @return {@code null} if it was sent, otherwise the error */
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
            LOG.log(Level.DEBUG, "could not release leadership; its lease will expire", e);
        }
        client.close();
    }
}
