package outbox.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.util.Ulid;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookPublisher;
import outbox.webhook.WebhookSecret;

class JdbcWebhookSecretsTest {
    private static final byte[] KEY = new byte[32];
    private static final WebhookClient CLIENT = WebhookClient.builder().build();

    private final WebhookSecret configured = WebhookSecret.generate();
    private final List<WebhookSecret> handedOver = new ArrayList<>();
    private final WebhookEndpoint crm = endpoint("crm");
    private DataSource dataSource;

    @BeforeEach
    void database() {
        JdbcDataSource h2 = new JdbcDataSource();
        h2.setURL("jdbc:h2:mem:" + Ulid.next() + ";DB_CLOSE_DELAY=-1");
        dataSource = h2;
    }

    private WebhookEndpoint endpoint(String name) {
        return WebhookEndpoint.builder(name, URI.create("https://crm.example.com/hooks"))
                .secrets(configured)
                .build();
    }

    private JdbcWebhookSecrets node(Duration overlap) {
        return JdbcWebhookSecrets.on(
                dataSource, KEY, (endpoint, secret) -> handedOver.add(secret), overlap, Duration.ZERO);
    }

    private List<WebhookSecret> signersOf(JdbcWebhookSecrets node) {
        return node.of("crm", configured).get();
    }

    @Test
    void theConfiguredOneSignsUntilOneIsRotated() {
        assertThat(signersOf(node(Duration.ofHours(1)))).containsExactly(configured);
    }

    @Test
    void aRotatedSecretIsHandedOverSurvivesARestartAndReachesOtherNodes() throws Exception {
        JdbcWebhookSecrets node = node(Duration.ofHours(1));
        String told = new WebhookSwitchboard(node, publisher(crm)).perform(WebhookSwitchboard.ROTATE, "webhook-crm");
        WebhookSecret fresh = handedOver.get(0);
        assertThat(told).contains("signed with a new secret").doesNotContain(fresh.reveal());
        assertThat(signersOf(node)).containsExactly(fresh, configured);
        assertThat(signersOf(node(Duration.ofHours(1)))).as("another node").containsExactly(fresh, configured);
        assertThat(node.of("other", configured).get()).as("another endpoint").containsExactly(configured);
    }

    private static WebhookPublisher publisher(WebhookEndpoint endpoint) {
        return CLIENT.publisher(endpoint);
    }

    @AfterAll
    static void closeClient() {
        CLIENT.close();
    }

    @Test
    void theOneBeforeSignsTooAndOlderOnesAreForgotten() throws Exception {
        JdbcWebhookSecrets node = node(Duration.ofHours(1));
        for (int i = 0; i < 4; i++) {
            node.rotate(crm);
        }
        assertThat(signersOf(node)).containsExactly(handedOver.get(3), handedOver.get(2));
        assertThat(rows()).hasSize(2);
    }

    @Test
    void afterTheOverlapTheNewOneSignsAlone() throws Exception {
        JdbcWebhookSecrets node = node(Duration.ZERO);
        node.rotate(crm);
        assertThat(signersOf(node)).containsExactly(handedOver.get(0));
    }

    @Test
    void whatCouldNotBeHandedOverIsNeverUsed() {
        List<String> lost = new ArrayList<>();
        JdbcWebhookSecrets node = JdbcWebhookSecrets.on(dataSource, KEY, (endpoint, secret) -> {
            lost.add(secret.reveal());
            throw new IllegalStateException("the vault is sealed");
        });
        String told = new WebhookSwitchboard(node, publisher(crm)).perform(WebhookSwitchboard.ROTATE, "webhook-crm");
        assertThat(told).isEqualTo("failed: the vault is sealed").doesNotContain(lost);
        assertThat(signersOf(node)).containsExactly(configured);
    }

    @Test
    void theTableHoldsNoSecretAndRowsFitTheirEndpointAlone() throws Exception {
        JdbcWebhookSecrets node = node(Duration.ofHours(1));
        node.rotate(crm);
        String base64 = handedOver.get(0).reveal().substring("whsec_".length());
        assertThat(rows()).singleElement().asString().doesNotContain(base64).doesNotContain("whsec_");
        execute("UPDATE outbox_webhook_secret SET endpoint = 'billing'");
        assertThatThrownBy(() -> node.of("billing", configured).get())
                .hasRootCauseInstanceOf(javax.crypto.AEADBadTagException.class)
                .hasMessageContaining("endpoint billing");
    }

    @Test
    void anotherKeyIsNamedAsTheCause() throws Exception {
        node(Duration.ofHours(1)).rotate(crm);
        byte[] other = KEY.clone();
        other[0] = 1;
        Supplier<List<WebhookSecret>> source = JdbcWebhookSecrets.on(dataSource, other, (endpoint, secret) -> {})
                .of("crm", configured);
        assertThatThrownBy(source::get).cause().hasMessageContaining("was the key changed?");
        assertThatThrownBy(() -> JdbcWebhookSecrets.on(dataSource, new byte[16], (endpoint, secret) -> {}))
                .hasMessageContaining("must have 32 bytes, not 16");
    }

    @Test
    void aDatabaseThatIsAwayLeavesTheSecretsThereAre() throws Exception {
        AtomicBoolean away = new AtomicBoolean();
        DataSource real = dataSource;
        dataSource = (DataSource) java.lang.reflect.Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (away.get()) {
                        throw new SQLException("away");
                    }
                    return method.invoke(real, arguments);
                });
        JdbcWebhookSecrets node = node(Duration.ofHours(1));
        Supplier<List<WebhookSecret>> unread = node.of("crm", configured);
        away.set(true);
        assertThatThrownBy(unread::get)
                .as("what was never read")
                .hasMessageContaining("requests fail until they can be signed");
        away.set(false);
        node.rotate(crm);
        List<WebhookSecret> before = unread.get();
        away.set(true);
        assertThat(unread.get()).isEqualTo(before);
    }

    private void execute(String sql) throws SQLException {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> rows() throws SQLException {
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery("SELECT id, endpoint, sealed FROM outbox_webhook_secret")) {
            List<String> rows = new ArrayList<>();
            while (row.next()) {
                rows.add(row.getString(1) + row.getString(2) + row.getString(3));
            }
            return rows;
        }
    }
}
