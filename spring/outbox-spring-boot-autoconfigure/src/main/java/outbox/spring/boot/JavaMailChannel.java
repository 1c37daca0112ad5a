package outbox.spring.boot;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.mail.javamail.MimeMessageHelper;
import outbox.alert.AlertChannel;
import outbox.alert.AlertMessage;
import outbox.util.DaemonThreadFactory;

/**
 * Mail by the application's own {@link JavaMailSender}. That has no timeouts unless {@code spring.mail.properties} sets
 * them, so it runs on a thread of its own, and at most one of them waits for the mail server.
 */
final class JavaMailChannel implements AlertChannel {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final JavaMailSender sender;
    private final InternetAddress from;
    private final InternetAddress[] to;
    private @Nullable FutureTask<Void> running; // guarded by this

    /** @throws IllegalArgumentException if one of them is no address */
    JavaMailChannel(JavaMailSender sender, String from, List<String> to) {
        this.sender = sender;
        this.from = address(from);
        this.to = to.stream().map(JavaMailChannel::address).toArray(InternetAddress[]::new);
    }

    private static InternetAddress address(String text) {
        try {
            return new InternetAddress(text, true);
        } catch (AddressException e) {
            throw new IllegalArgumentException("not a mail address: '" + text + "'", e);
        }
    }

    @Override
    public synchronized void send(AlertMessage message) throws IOException {
        if (running != null && !running.isDone()) {
            throw new IOException("the mail server has not answered to the previous mail yet");
        }
        FutureTask<Void> task = new FutureTask<>(() -> mail(message), null);
        running = task;
        new DaemonThreadFactory("outbox-mail-").newThread(task).start();
        try {
            task.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException("the mail was not sent: " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new IOException("the mail server did not answer within " + TIMEOUT.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a mail was sent", e);
        }
    }

    private void mail(AlertMessage message) {
        MimeMessage mail = sender.createMimeMessage();
        try {
            MimeMessageHelper helper = new MimeMessageHelper(mail, StandardCharsets.UTF_8.name());
            helper.setFrom(from);
            helper.setTo(to);
            helper.setSubject(message.title());
            helper.setText(message.text());
            helper.setSentDate(Date.from(Instant.now()));
            mail.setHeader("Auto-Submitted", "auto-generated");
        } catch (MessagingException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
        sender.send(mail);
    }
}
