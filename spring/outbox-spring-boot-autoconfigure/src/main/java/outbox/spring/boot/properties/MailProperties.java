package outbox.spring.boot.properties;

import org.jspecify.annotations.Nullable;

/** Mails of the outbox: their sender, and a mail server if it is not that of the application. */
public class MailProperties {
    /** Host name of a mail server for the outbox alone. Default: the application's JavaMailSender, as spring.mail.* makes it. */
    private @Nullable String host;

    /** Port of the mail server that host names. */
    private int port = 587;

    /** User name for the mail server that host names. If not set, there is no login. */
    private @Nullable String username;

    /** Password for the mail server that host names. Required with a user name. */
    private @Nullable String password;

    /** TLS mode of the connection to the mail server that host names: starttls, tls or none. */
    private Tls tls = Tls.STARTTLS;

    /** Sender address of alert mails. Default: spring.mail.username if that is an address; required with a host. */
    private @Nullable String from;

    /** TLS mode of an SMTP connection. */
    public enum Tls {
        STARTTLS,
        TLS,
        NONE
    }

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

    public @Nullable String getFrom() {
        return from;
    }

    public void setFrom(@Nullable String from) {
        this.from = from;
    }
}
