package outbox.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MailChannelTest {
    private static final AlertMessage MESSAGE = new AlertMessage(
            AlertMessage.Kind.RECOVERY, "[订单] over\r\nBcc: evil@example.com", List.of("all is well"), null);

    private GreenMail server;

    @BeforeEach
    void start() {
        ServerSetup setup = new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP);
        setup.setServerStartupTimeout(30_000);
        server = new GreenMail(setup);
        server.setUser("outbox@example.com", "outbox", "mail-password");
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop();
    }

    private MailChannel.Builder channel() {
        return MailChannel.builder("127.0.0.1", server.getSmtp().getPort())
                .from("outbox@example.com")
                .to("oncall@example.com", "second@example.com");
    }

    @Test
    void theMailArrivesAndATitleAddsNoHeader() throws Exception {
        channel().login("outbox", "mail-password").build().send(MESSAGE);
        assertThat(server.waitForIncomingEmail(10_000, 2)).isTrue();
        MimeMessage mail = server.getReceivedMessages()[0];
        assertThat(mail.getSubject()).isEqualTo("[订单] over Bcc: evil@example.com");
        assertThat(mail.getHeader("Bcc")).isNull();
        assertThat(mail.getContent().toString()).contains("all is well");
        assertThat(server.getReceivedMessages()).hasSize(2);
    }

    @Test
    void aWrongPasswordIsAFailureThatDoesNotRepeatIt() {
        server.getUserManager().setAuthRequired(true);
        assertThatThrownBy(() ->
                        channel().login("outbox", "not-the-password").build().send(MESSAGE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("did not take the message")
                .hasMessageNotContaining("not-the-password");
    }

    @Test
    void startTlsIsNotSilentlyLeftOut() {
        assertThatThrownBy(() -> channel().startTls().build().send(MESSAGE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("STARTTLS");
    }

    @Test
    void whatIsNoAddressIsRefused() {
        assertThatThrownBy(() -> MailChannel.builder("h", 25).from("a@b\nc"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(
                        () -> MailChannel.builder("h", 25).from("a@b.example").build())
                .hasMessageContaining("to(...)");
    }
}
