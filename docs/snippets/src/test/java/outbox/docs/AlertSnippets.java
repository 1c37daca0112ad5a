package outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import outbox.Outbox;
import outbox.alert.AlertChannel;
import outbox.alert.AlertChannels;
import outbox.alert.AlertMessage;
import outbox.alert.FailedEventNotice;
import outbox.alert.MailChannel;
import outbox.control.source.Application;
import outbox.control.source.NodeReader;
import outbox.jdbc.store.H2OutboxStore;
import outbox.jdbc.store.JdbcOutbox;
import outbox.listener.ControlledListener;
import outbox.node.Heartbeat;
import outbox.node.JdbcWebhookSecrets;
import outbox.node.Switchboard;
import outbox.node.WebhookSwitchboard;
import outbox.registry.DefaultListenerRegistry;
import outbox.testing.server.EmbeddedH2;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookPublisher;
import outbox.webhook.WebhookSecret;

class AlertSnippets {
    private final DataSource dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private final String robotUrl = "https://oapi.dingtalk.com/robot/send?access_token=none";
    private final String robotSecret = "none";
    private final String mailPassword = "none";
    private final ControlledListener mailer =
            ControlledListener.of(event -> {}).name("mail").build();

    @BeforeEach
    void createTable() throws SQLException {
        try (Connection conn = dataSource.getConnection()) {
            new H2OutboxStore().schema().apply(conn);
        }
    }

    @Test
    void notice() {
        // snippet: notice
        WebhookClient client = WebhookClient.builder().build();
        AlertChannel room = new AlertChannels(client).dingTalk(URI.create(robotUrl), robotSecret);
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .listeners(listeners)
                .failedEventAlert(new FailedEventNotice("orders", room))
                .build();
        // end
        assertThat(outbox.relay().warnFailedOnce().dead()).isZero();
        outbox.close();
        client.close();
    }

    /** A service that calls people. */
    private interface Pager {
        void page(String title, String text);
    }

    @Configuration(proxyBeanMethods = false)
    static class Channels {
        // snippet: channel
        @Bean
        AlertChannel pager(Pager pager) {
            return message -> pager.page(message.title(), message.text());
        }
        // end
    }

    @Test
    void channel() throws IOException {
        List<String> pages = new ArrayList<>();
        new Channels()
                .pager((title, text) -> pages.add(title))
                .send(new AlertMessage(AlertMessage.Kind.TEST, "dead", List.of(), null));
        assertThat(pages).containsExactly("dead");
    }

    @Test
    void mail() {
        // snippet: mail
        AlertChannel mail = MailChannel.builder("smtp.example.com", 587)
                .startTls()
                .login("outbox", mailPassword)
                .from("outbox@example.com")
                .to("oncall@example.com")
                .build();
        // end
        assertThat(mail).isNotNull();
    }

    @Test
    void heartbeat() throws SQLException {
        // snippet: heartbeat
        Heartbeat heartbeat = Heartbeat.builder(dataSource)
                .switchboard(Switchboard.of(mailer))
                .build();
        Outbox outbox = JdbcOutbox.multiNode(dataSource)
                .listeners(listeners)
                .metrics(heartbeat.metrics())
                .build();
        heartbeat.start(outbox); // first, so that what is paused stays paused
        outbox.start();
        // end
        assertThat(new NodeReader(Application.of("orders", dataSource)).nodes()).hasSize(1);
        outbox.close();
        heartbeat.close();
    }

    /** Where the application keeps its secrets. */
    private interface Vault {
        String newVersion(String name);
    }

    @Test
    void rotation() {
        Vault vault = name -> "version 2 of " + name + " signs from now on, version 1 until tomorrow";
        WebhookClient client = WebhookClient.builder().build();
        WebhookPublisher crm =
                client.publisher(WebhookEndpoint.builder("crm", URI.create("https://crm.example.com/hooks"))
                        .secrets(WebhookSecret.generate())
                        .build());
        // snippet: rotation
        Heartbeat heartbeat = Heartbeat.builder(dataSource)
                .switchboard(Switchboard.of(crm.controlled().build()))
                .switchboard(new WebhookSwitchboard(endpoint -> vault.newVersion(endpoint.name()), crm))
                .build();
        // end
        assertThat(heartbeat).isNotNull();
        client.close();
    }

    @Test
    void secrets() {
        byte[] key = new byte[32];
        WebhookSecret configured = WebhookSecret.generate();
        Receivers receivers = (name, secret) -> {};
        WebhookClient client = WebhookClient.builder().build();
        // snippet: secrets
        JdbcWebhookSecrets secrets = JdbcWebhookSecrets.on(
                dataSource, key, (endpoint, secret) -> receivers.tell(endpoint.name(), secret.reveal()));
        WebhookPublisher crm =
                client.publisher(WebhookEndpoint.builder("crm", URI.create("https://crm.example.com/hooks"))
                        .secretSource(secrets.of("crm", configured))
                        .build());
        WebhookSwitchboard endpoints = new WebhookSwitchboard(secrets, crm);
        // end
        assertThat(endpoints.perform(WebhookSwitchboard.ROTATE, "webhook-crm")).contains("signed with a new secret");
        client.close();
    }

    /** How the application reaches those who receive its webhooks. */
    private interface Receivers {
        void tell(String name, String secret);
    }
}
