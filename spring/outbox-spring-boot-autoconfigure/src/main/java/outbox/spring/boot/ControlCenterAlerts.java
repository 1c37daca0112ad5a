package outbox.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import outbox.alert.AlertChannel;
import outbox.alert.MailChannel;
import outbox.webhook.WebhookClient;

/** Where alerts of the control center inside this application may go: {@code outbox.control-center.alerts.*}. */
public class ControlCenterAlerts {
    /** Private or reserved address blocks that alerts may be sent to, for example 10.20.0.0/16. */
    private List<String> allowedAddresses = new ArrayList<>();

    /** Whether alerts may be sent over plain HTTP. */
    private boolean allowHttp;

    /** Mail server for alerts. */
    private Mail mail = new Mail();

    WebhookClient client() {
        WebhookClient.Builder client = WebhookClient.builder().allowAddresses(allowedAddresses.toArray(String[]::new));
        return allowHttp ? client.allowHttp().build() : client.build();
    }

    /** @return {@code null} if there is no mail */
    @Nullable
    Function<List<String>, AlertChannel> mail() {
        String host = mail.host;
        if (host == null) {
            if (mail.from != null || mail.username != null || mail.password != null) {
                throw new IllegalArgumentException("there are properties outbox.control-center.alerts.mail.*, but"
                        + " outbox.control-center.alerts.mail.host is not set, so no mail is sent");
            }
            return null;
        }
        if (mail.from == null) {
            throw new IllegalArgumentException(
                    "outbox.control-center.alerts.mail.from is not set: who writes the alerts?");
        }
        String from = mail.from;
        return addresses -> {
            MailChannel.Builder channel =
                    MailChannel.builder(host, mail.port).from(from).to(addresses.toArray(String[]::new));
            if (mail.username != null && mail.password != null) {
                channel.login(mail.username, mail.password);
            }
            return switch (mail.tls) {
                case STARTTLS -> channel.startTls().build();
                case TLS -> channel.tls().build();
                case NONE -> channel.build();
            };
        };
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

    public Mail getMail() {
        return mail;
    }

    public void setMail(Mail mail) {
        this.mail = mail;
    }

    /** TLS mode of the SMTP connection. */
    public enum Tls {
        STARTTLS,
        TLS,
        NONE
    }

    /** The mail server of alerts. */
    public static class Mail {
        /** Host name of the mail server. If not set, no mail is sent. */
        private @Nullable String host;

        /** Port of the mail server. */
        private int port = 587;

        /** Sender address of alert mails. Required with a mail host. */
        private @Nullable String from;

        /** User name for the mail server. If not set, there is no login. */
        private @Nullable String username;

        /** Password for the mail server. Required with a user name. */
        private @Nullable String password;

        /** TLS mode of the SMTP connection: starttls, tls or none. */
        private Tls tls = Tls.STARTTLS;

        public @Nullable String getHost() {
            return host;
        }

        public void setHost(@Nullable String host) {
            this.host = host;
        }

        public int getPort() {
            return port;
        }

        public void setPort(int port) {
            this.port = port;
        }

        public @Nullable String getFrom() {
            return from;
        }

        public void setFrom(@Nullable String from) {
            this.from = from;
        }

        public @Nullable String getUsername() {
            return username;
        }

        public void setUsername(@Nullable String username) {
            this.username = username;
        }

        public @Nullable String getPassword() {
            return password;
        }

        public void setPassword(@Nullable String password) {
            this.password = password;
        }

        public Tls getTls() {
            return tls;
        }

        public void setTls(Tls tls) {
            this.tls = tls;
        }
    }
}
