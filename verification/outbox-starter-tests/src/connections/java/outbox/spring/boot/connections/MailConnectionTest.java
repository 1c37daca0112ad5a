package outbox.spring.boot.connections;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.connections.Shop.shop;
import static outbox.spring.boot.connections.Shop.write;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.mail.Message;
import jakarta.mail.internet.MimeMessage;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.mail.javamail.JavaMailSenderImpl;
import outbox.OutboxRelay;
import outbox.domain.handler.EventRoute;

/** Alerts go by the mail server that the application has configured for itself. */
class MailConnectionTest {
    private GreenMail server;

    @BeforeEach
    void start() {
        ServerSetup setup = new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP);
        setup.setServerStartupTimeout(30_000);
        server = new GreenMail(setup);
        server.setUser("shop@example.com", "shop@example.com", "mail-password");
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    private int port() {
        return server.getSmtp().getPort();
    }

    /** Every event is dead at once. */
    private static ApplicationContextRunner mailShop(String... properties) {
        return shop("outbox.alerts.mail.to=oncall@example.com", "outbox.failure-alerts.enabled=false")
                .withPropertyValues("spring.application.name=shop", "outbox.retry.max-attempts=1")
                .withPropertyValues(properties)
                .withBean(
                        EventRoute.class,
                        () -> EventRoute.to("broken", event -> {
                            throw new IllegalStateException("broken");
                        }));
    }

    private static void alert(ApplicationContext context) {
        write(context);
        await().until(() -> Integer.valueOf(1)
                .equals(context.getBean(JdbcTemplate.class)
                        .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 3", Integer.class)));
        context.getBean(OutboxRelay.class).warnFailedOnce();
    }

    private MimeMessage received() {
        assertThat(server.waitForIncomingEmail(60_000, 1)).isTrue();
        return server.getReceivedMessages()[0];
    }

    @Test
    void springsPropertiesAreEnough() {
        mailShop(
                        "spring.mail.host=127.0.0.1",
                        "spring.mail.port=" + port(),
                        "spring.mail.username=shop@example.com",
                        "spring.mail.password=mail-password")
                .run(context -> {
                    alert(context);
                    assertThat(received().getSubject()).isEqualTo("[shop] 1 dead event(s) wait for a person");
                    assertThat(received().getFrom())
                            .extracting(Object::toString)
                            .containsExactly("shop@example.com");
                    assertThat(received().getRecipients(Message.RecipientType.TO))
                            .extracting(Object::toString)
                            .containsExactly("oncall@example.com");
                    assertThat(received().getHeader("Auto-Submitted")).containsExactly("auto-generated");
                });
    }

    @Test
    void aMailServerOfTheOutboxAloneWins() {
        mailShop(
                        "spring.mail.host=127.0.0.1",
                        "spring.mail.port=1",
                        "outbox.alerts.mail.host=127.0.0.1",
                        "outbox.alerts.mail.port=" + port(),
                        "outbox.alerts.mail.tls=none",
                        "outbox.alerts.mail.from=outbox@example.com")
                .run(context -> {
                    alert(context);
                    assertThat(received().getFrom())
                            .extracting(Object::toString)
                            .containsExactly("outbox@example.com");
                });
    }

    @Test
    void ofSeveralSendersThePrimaryOneIsUsedAndWithoutOneTheStartFails() {
        JavaMailSenderImpl used = new JavaMailSenderImpl();
        used.setHost("127.0.0.1");
        used.setPort(port());
        ApplicationContextRunner two = mailShop("outbox.alerts.mail.from=outbox@example.com")
                .withBean("other", JavaMailSender.class, JavaMailSenderImpl::new);
        two.withBean("used", JavaMailSender.class, () -> used, definition -> definition.setPrimary(true))
                .run(context -> {
                    alert(context);
                    assertThat(received()).isNotNull();
                });
        two.withBean("used", JavaMailSender.class, () -> used)
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("there are several JavaMailSender beans"));
    }

    /** Jakarta Mail waits for ever unless it is told otherwise. */
    @Test
    void aMailServerThatDoesNotAnswerDoesNotHoldUpTheOutbox() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            mailShop(
                            "spring.mail.host=127.0.0.1",
                            "spring.mail.port=" + silent.getLocalPort(),
                            "outbox.alerts.mail.from=outbox@example.com")
                    .run(context -> {
                        assertThatThrownBy(() -> alert(context))
                                .isInstanceOf(UncheckedIOException.class)
                                .hasMessageContaining("did not answer within 10 s");
                        OutboxRelay relay = context.getBean(OutboxRelay.class);
                        assertThatThrownBy(relay::warnFailedOnce)
                                .as("no second thread waits for it")
                                .hasMessageContaining("has not answered to the previous mail yet");
                    });
        }
    }

    @Test
    void withoutAMailServerOrASenderTheStartFails() {
        mailShop()
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("there is no mail server for alerts")
                        .hasMessageContaining("spring.mail.host"));
        mailShop()
                .withClassLoader(Shop.WITHOUT_SPRING_LIBRARIES)
                .run(context -> assertThat(Shop.failureOf(context)).hasMessageContaining("spring-boot-starter-mail"));
        mailShop("spring.mail.host=127.0.0.1", "spring.mail.username=shop")
                .run(context -> assertThat(Shop.failureOf(context))
                        .hasMessageContaining("no sender address")
                        .hasMessageContaining("Set outbox.alerts.mail.from"));
        mailShop("spring.mail.host=127.0.0.1", "outbox.alerts.mail.username=outbox")
                .run(context ->
                        assertThat(Shop.failureOf(context)).hasMessageContaining("outbox.alerts.mail.host is not"));
        mailShop("spring.mail.host=127.0.0.1", "outbox.alerts.mail.from=nobody")
                .run(context -> assertThat(Shop.failureOf(context)).hasMessageContaining("not a mail address"));
    }
}
