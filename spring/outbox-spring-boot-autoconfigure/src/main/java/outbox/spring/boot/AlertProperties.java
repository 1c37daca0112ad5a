package outbox.spring.boot;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import outbox.alert.FailedEventNotice;
import outbox.alert.Mentions;
import outbox.spring.boot.properties.MailProperties;

/** Channels for alerts about dead events and open circuit breakers, without a control center. */
@ConfigurationProperties("outbox.alerts")
public class AlertProperties {
    /** Whether to send alerts about dead events and open circuit breakers to the configured channels and to AlertChannel beans. */
    private boolean enabled = true;

    /** Name of this application in alerts. Default: spring.application.name. */
    private @Nullable String application;

    /** Interval between reminders as long as there are dead events or open circuit breakers. */
    private Duration reminder = FailedEventNotice.DEFAULT_REMINDER;

    /** Private or reserved address blocks that alerts may be sent to, for example 10.20.0.0/16. */
    private List<String> allowedAddresses = new ArrayList<>();

    /** Whether alerts may be sent over plain HTTP. */
    private boolean allowHttp;

    private final DingTalk dingtalk = new DingTalk();
    private final Feishu feishu = new Feishu();
    private final WeCom wecom = new WeCom();
    private final Slack slack = new Slack();
    private final Webhook webhook = new Webhook();
    private final Mail mail = new Mail();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public @Nullable String getApplication() {
        return application;
    }

    public void setApplication(@Nullable String application) {
        this.application = application;
    }

    public Duration getReminder() {
        return reminder;
    }

    public void setReminder(Duration reminder) {
        this.reminder = reminder;
    }

    public List<String> getAllowedAddresses() {
        return allowedAddresses;
    }

    public void setAllowedAddresses(List<String> allowedAddresses) {
        this.allowedAddresses = allowedAddresses;
    }

    public boolean isAllowHttp() {
        return allowHttp;
    }

    public void setAllowHttp(boolean allowHttp) {
        this.allowHttp = allowHttp;
    }

    public DingTalk getDingtalk() {
        return dingtalk;
    }

    public Feishu getFeishu() {
        return feishu;
    }

    public WeCom getWecom() {
        return wecom;
    }

    public Slack getSlack() {
        return slack;
    }

    public Webhook getWebhook() {
        return webhook;
    }

    public Mail getMail() {
        return mail;
    }

    /** A DingTalk robot. */
    public static class DingTalk {
        /** URL of the robot, with its access token. If not set, nothing is sent to DingTalk. */
        private @Nullable String webhook;

        /** Secret of the robot. Required if it checks signatures. */
        private @Nullable String secret;

        /** Mobile numbers of members of the group to mention. */
        private List<String> atMobiles = new ArrayList<>();

        /** Whether to mention everybody in the group. */
        private boolean atAll;

        Mentions mentions() {
            return new Mentions(atMobiles, atAll);
        }

        public @Nullable String getWebhook() {
            return webhook;
        }

        public void setWebhook(@Nullable String webhook) {
            this.webhook = webhook;
        }

        public @Nullable String getSecret() {
            return secret;
        }

        public void setSecret(@Nullable String secret) {
            this.secret = secret;
        }

        public List<String> getAtMobiles() {
            return atMobiles;
        }

        public void setAtMobiles(List<String> atMobiles) {
            this.atMobiles = atMobiles;
        }

        public boolean isAtAll() {
            return atAll;
        }

        public void setAtAll(boolean atAll) {
            this.atAll = atAll;
        }
    }

    /** A Feishu or Lark robot. */
    public static class Feishu {
        /** URL of the robot. If not set, nothing is sent to Feishu. */
        private @Nullable String webhook;

        /** Secret of the robot. Required if it checks signatures. */
        private @Nullable String secret;

        public @Nullable String getWebhook() {
            return webhook;
        }

        public void setWebhook(@Nullable String webhook) {
            this.webhook = webhook;
        }

        public @Nullable String getSecret() {
            return secret;
        }

        public void setSecret(@Nullable String secret) {
            this.secret = secret;
        }
    }

    /** A WeCom robot. */
    public static class WeCom {
        /** URL of the robot, with its key. If not set, nothing is sent to WeCom. */
        private @Nullable String webhook;

        /** Mobile numbers of members of the group to mention. */
        private List<String> atMobiles = new ArrayList<>();

        /** Whether to mention everybody in the group. */
        private boolean atAll;

        Mentions mentions() {
            return new Mentions(atMobiles, atAll);
        }

        public @Nullable String getWebhook() {
            return webhook;
        }

        public void setWebhook(@Nullable String webhook) {
            this.webhook = webhook;
        }

        public List<String> getAtMobiles() {
            return atMobiles;
        }

        public void setAtMobiles(List<String> atMobiles) {
            this.atMobiles = atMobiles;
        }

        public boolean isAtAll() {
            return atAll;
        }

        public void setAtAll(boolean atAll) {
            this.atAll = atAll;
        }
    }

    /** A Slack channel. */
    public static class Slack {
        /** URL of an incoming webhook. If not set, nothing is sent to Slack. */
        private @Nullable String webhook;

        public @Nullable String getWebhook() {
            return webhook;
        }

        public void setWebhook(@Nullable String webhook) {
            this.webhook = webhook;
        }
    }

    /** Any receiver of signed requests. */
    public static class Webhook {
        /** URL that alerts are posted to. If not set, none are. */
        private @Nullable String url;

        /** Secret that signs the requests as Standard Webhooks says, whsec_ and Base64. Required with a URL. */
        private @Nullable String secret;

        public @Nullable String getUrl() {
            return url;
        }

        public void setUrl(@Nullable String url) {
            this.url = url;
        }

        public @Nullable String getSecret() {
            return secret;
        }

        public void setSecret(@Nullable String secret) {
            this.secret = secret;
        }
    }

    /** Alert mails. */
    public static class Mail extends MailProperties {
        /** Addresses that alert mails are sent to. */
        private List<String> to = new ArrayList<>();

        public List<String> getTo() {
            return to;
        }

        public void setTo(List<String> to) {
            this.to = to;
        }
    }
}
