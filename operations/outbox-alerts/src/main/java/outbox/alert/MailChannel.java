package outbox.alert;

import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Mail by SMTP, as plain text. It needs Jakarta Mail on the class path: {@code org.eclipse.angus:angus-mail}. Thread-safe.
 *
 * <pre>{@code
 * AlertChannel mail = MailChannel.builder("smtp.example.com", 587)
 *     .startTls()
 *     .login("outbox", password)
 *     .from("outbox@example.com")
 *     .to("oncall@example.com")
 *     .build();
 * }</pre>
 */
public final class MailChannel implements AlertChannel {
    private static final String PATIENCE_MILLIS = "10000";

    private final String host;
    private final int port;
    private final Session session;
    private final @Nullable String user;
    private final @Nullable String password;
    private final InternetAddress from;
    private final InternetAddress[] to;

    private MailChannel(Builder builder) {
        this.host = builder.host;
        this.port = builder.port;
        this.user = builder.user;
        this.password = builder.password;
        this.from = Objects.requireNonNull(builder.from, "a mail channel needs from(...)");
        if (builder.to.isEmpty()) {
            throw new IllegalArgumentException("a mail channel needs to(...)");
        }
        this.to = builder.to.toArray(InternetAddress[]::new);
        Properties settings = new Properties();
        settings.put("mail.smtp.connectiontimeout", PATIENCE_MILLIS);
        settings.put("mail.smtp.timeout", PATIENCE_MILLIS);
        settings.put("mail.smtp.writetimeout", PATIENCE_MILLIS);
        settings.put("mail.smtp.auth", String.valueOf(user != null));
        settings.put("mail.smtp.starttls.enable", String.valueOf(builder.startTls));
        settings.put("mail.smtp.starttls.required", String.valueOf(builder.startTls));
        settings.put("mail.smtp.ssl.enable", String.valueOf(builder.tls));
        settings.put("mail.smtp.ssl.checkserveridentity", "true");
        this.session = Session.getInstance(settings);
    }

    public static Builder builder(String host, int port) {
        return new Builder(host, port);
    }

    @Override
    public void send(AlertMessage message) throws IOException {
        try {
            MimeMessage mail = new MimeMessage(session);
            mail.setFrom(from);
            mail.setRecipients(Message.RecipientType.TO, to);
            mail.setSubject(message.title(), StandardCharsets.UTF_8.name());
            mail.setText(message.text(), StandardCharsets.UTF_8.name());
            mail.setSentDate(Date.from(Instant.now()));
            mail.setHeader("Auto-Submitted", "auto-generated");
            mail.saveChanges();
            try (Transport transport = session.getTransport("smtp")) {
                transport.connect(host, port, user, password);
                transport.sendMessage(mail, to);
            }
        } catch (MessagingException e) {
            throw new IOException(
                    "mail server " + host + ":" + port + " did not take the message: " + e.getMessage(), e);
        }
    }

    /** Not thread-safe. */
    public static final class Builder {
        private final String host;
        private final int port;
        private boolean startTls;
        private boolean tls;
        private @Nullable String user;
        private @Nullable String password;
        private @Nullable InternetAddress from;
        private List<InternetAddress> to = List.of();

        private Builder(String host, int port) {
            this.host = Objects.requireNonNull(host, "host");
            this.port = port;
        }

        /** Turns to TLS before anything else is said, or fails. */
        public Builder startTls() {
            this.startTls = true;
            return this;
        }

        /** TLS from the first byte on, as on port 465. */
        public Builder tls() {
            this.tls = true;
            return this;
        }

        public Builder login(String user, String password) {
            this.user = Objects.requireNonNull(user, "user");
            this.password = Objects.requireNonNull(password, "password");
            return this;
        }

        /** @throws IllegalArgumentException if it is no address */
        public Builder from(String address) {
            this.from = address(address);
            return this;
        }

        /** @throws IllegalArgumentException if one of them is no address */
        public Builder to(String... addresses) {
            this.to = List.of(addresses).stream().map(Builder::address).toList();
            return this;
        }

        private static InternetAddress address(String text) {
            try {
                return new InternetAddress(text, true);
            } catch (AddressException e) {
                throw new IllegalArgumentException("not a mail address: '" + text + "'", e);
            }
        }

        public MailChannel build() {
            return new MailChannel(this);
        }
    }
}
