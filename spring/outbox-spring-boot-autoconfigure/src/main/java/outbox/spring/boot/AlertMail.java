package outbox.spring.boot;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.mail.javamail.JavaMailSenderImpl;
import org.springframework.util.ClassUtils;
import outbox.alert.AlertChannel;
import outbox.alert.MailChannel;
import outbox.spring.boot.properties.MailProperties;
import outbox.spring.boot.properties.PropertyGroup;
import outbox.spring.boot.properties.RefusedSettingsException;

/**
 * Who sends the mails of the outbox: a mail server of its own, or the {@link JavaMailSender} of the application, which
 * Spring Boot makes of {@code spring.mail.*}.
 *
 * @param prefix of the properties
 */
record AlertMail(String prefix, MailProperties settings, ListableBeanFactory beans) {
    private static final Logger LOG = System.getLogger(AlertMail.class.getName());
    private static final boolean HAS_SPRING_MAIL =
            ClassUtils.isPresent("org.springframework.mail.javamail.JavaMailSender", AlertMail.class.getClassLoader());

    /**
     * As {@link #server}, where nothing requires mail unless a property is set.
     *
     * @return {@code null} if there is no mail server
     */
    @Nullable
    Function<List<String>, AlertChannel> serverIfAny() {
        try {
            return server();
        } catch (IllegalStateException e) {
            if (settings.getHost() != null
                    || settings.getFrom() != null
                    || settings.getUsername() != null
                    || settings.getPassword() != null) {
                throw e;
            }
            LOG.log(Level.DEBUG, () -> "no alert can be sent by mail: " + e.getMessage());
            return null;
        }
    }

    /**
     * Makes channels to mail addresses.
     *
     * @throws RefusedSettingsException if there is no mail server or no sender address
     */
    Function<List<String>, AlertChannel> server() {
        String host = settings.getHost();
        if (host != null) {
            String from = from(settings.getFrom());
            return to -> new PropertyGroup(prefix).build(() -> ownServer(host, from, to));
        }
        if (settings.getUsername() != null || settings.getPassword() != null) {
            throw new RefusedSettingsException(
                    "a login is set under " + prefix + ", but " + prefix + ".host is not",
                    "Set " + prefix
                            + ".host, or remove .username and .password to use the mail server of spring.mail.*.");
        }
        if (!HAS_SPRING_MAIL) {
            throw missing();
        }
        return OfSpring.server(this);
    }

    private AlertChannel ownServer(String host, String from, List<String> to) {
        MailChannel.Builder channel =
                MailChannel.builder(host, settings.getPort()).from(from).to(to.toArray(String[]::new));
        if (settings.getUsername() != null && settings.getPassword() != null) {
            channel.login(settings.getUsername(), settings.getPassword());
        }
        return switch (settings.getTls()) {
            case STARTTLS -> channel.startTls().build();
            case TLS -> channel.tls().build();
            case NONE -> channel.build();
        };
    }

    private String from(@Nullable String address) {
        if (address == null) {
            throw new RefusedSettingsException(
                    "alert mails have no sender address", "Set " + prefix + ".from, for instance outbox@example.com.");
        }
        return address;
    }

    private RefusedSettingsException missing() {
        return new RefusedSettingsException(
                "there is no mail server for alerts",
                "Add spring-boot-starter-mail and set spring.mail.host, or set " + prefix
                        + ".host and .from for a server of" + " the outbox alone.");
    }

    /** Loaded only with Spring's mail support. */
    private static final class OfSpring {
        static Function<List<String>, AlertChannel> server(AlertMail mail) {
            JavaMailSender sender = OwnBean.of(mail.beans(), JavaMailSender.class);
            if (sender == null) {
                throw mail.missing();
            }
            String own = mail.settings().getFrom();
            String from = mail.from(own == null ? addressOf(sender) : own);
            return to -> new PropertyGroup(mail.prefix()).build(() -> new JavaMailChannel(sender, from, to));
        }

        /** Many mail servers have addresses for user names. */
        private static @Nullable String addressOf(JavaMailSender sender) {
            return sender instanceof JavaMailSenderImpl known
                            && known.getUsername() != null
                            && known.getUsername().contains("@")
                    ? known.getUsername()
                    : null;
        }
    }
}
