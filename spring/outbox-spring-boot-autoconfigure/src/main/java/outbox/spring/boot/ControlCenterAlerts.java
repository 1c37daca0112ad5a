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
    /** Blocks such as 10.20.0.0/16 that alerts may go to although they are private. */
    private List<String> allowedAddresses = new ArrayList<>();

    /** Permits plain HTTP. */
    private boolean allowHttp;

    /** The mail server; without a host there is no mail. */
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

    /** How the mail server is spoken to. */
    public enum Tls {
        STARTTLS,
        TLS,
        NONE
    }

    /** The mail server of alerts. */
    public static class Mail {
        /** Its name; without one there is no mail. */
        private @Nullable String host;

        /** Its port. */
        private int port = 587;

        /** The address that mails come from. */
        private @Nullable String from;

        /** How to log in there, if it asks. */
        private @Nullable String username;

        /** How to log in there, if it asks. */
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
