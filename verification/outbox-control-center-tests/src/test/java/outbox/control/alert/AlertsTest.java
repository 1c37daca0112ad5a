package outbox.control.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.crypto.spec.SecretKeySpec;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.control.ControlCenter;
import outbox.testing.server.EmbeddedPostgres;
import outbox.webhook.WebhookClient;

/** Rules, turn by turn, with a channel that is a real HTTP server. */
@Timeout(120)
class AlertsTest {
    private final Map<AlertMetric, List<Reading>> readings = new java.util.EnumMap<>(AlertMetric.class);
    private final List<Alerts> opened = new ArrayList<>();
    private DataSource dataSource;
    private Receiver receiver;
    private Alerts alerts;
    private Instant now;
    private Channels.Channel channel;

    @BeforeEach
    void start() throws Exception {
        dataSource = EmbeddedPostgres.shared().freshDatabase().dataSource();
        ControlCenter.schema("postgresql").apply(dataSource);
        receiver = new Receiver();
        alerts = another();
        now = Instant.parse("2026-03-01T12:00:00Z");
        channel = alerts.channels().create("room", "slack", Map.of("url", receiver.url()), "anna", now);
    }

    private Alerts another() {
        Alerts one = new Alerts(
                dataSource,
                () -> List.of("orders", "billing"),
                (application, metric) -> application.equals("orders") ? readings.get(metric) : List.of(),
                new Alerts.Setup(
                        new SecretKeySpec(new byte[32], "AES"),
                        WebhookClient.builder()
                                .allowHttp()
                                .allowAddresses("127.0.0.0/8")
                                .build(),
                        null,
                        "https://ops.example/outbox/",
                        Duration.ofHours(1)));
        opened.add(one);
        return one;
    }

    @AfterEach
    void stop() {
        opened.forEach(Alerts::close);
        receiver.close();
    }

    private AlertRule rule(AlertMetric metric, double threshold, int forSeconds, int reminderMinutes)
            throws SQLException {
        return alerts.create(
                new AlertRule(
                        "", "Rule", "*", metric, threshold, forSeconds, reminderMinutes, List.of(channel.id()), true),
                "anna");
    }

    private List<String> turn(Duration later) throws SQLException {
        now = now.plus(later);
        alerts.look(now);
        return receiver.taken();
    }

    private void dead(double count) {
        readings.put(AlertMetric.DEAD_COUNT, List.of(new Reading("", count)));
    }

    @Test
    void peopleAreToldOnceRemindedAndToldWhenItIsOver() throws SQLException {
        rule(AlertMetric.DEAD_COUNT, 1, 0, 60);
        dead(0);
        assertThat(turn(Duration.ZERO)).isEmpty();
        dead(3);
        assertThat(turn(Duration.ofSeconds(10)))
                .singleElement()
                .asString()
                .contains("[outbox] orders: 3 dead event(s)")
                .contains("What to do: https://ops.example/outbox/runbooks/dead-letters.md")
                .contains("https://ops.example/outbox/#/orders/alerts");
        assertThat(turn(Duration.ofMinutes(30))).isEmpty();
        assertThat(turn(Duration.ofMinutes(31))).singleElement().asString().contains("Still: orders");
        dead(0);
        assertThat(turn(Duration.ofSeconds(10)))
                .singleElement()
                .asString()
                .contains("Over: orders")
                .doesNotContain("What to do");
        assertThat(turn(Duration.ofHours(2))).isEmpty();
        assertThat(alerts.of("orders"))
                .singleElement()
                .satisfies(alert -> assertThat(alert.overAt()).isNotNull());
    }

    @Test
    void whatDoesNotLastRaisesNoAlert() throws SQLException {
        rule(AlertMetric.DEAD_COUNT, 1, 60, 0);
        dead(1);
        assertThat(turn(Duration.ZERO)).isEmpty();
        assertThat(turn(Duration.ofSeconds(50))).isEmpty();
        dead(0);
        assertThat(turn(Duration.ofSeconds(5))).isEmpty();
        dead(1);
        assertThat(turn(Duration.ofSeconds(10))).as("it began anew").isEmpty();
        assertThat(turn(Duration.ofSeconds(60))).hasSize(1);
    }

    @Test
    void whatNothingIsKnownOfStaysAsItIs() throws SQLException {
        rule(AlertMetric.DEAD_COUNT, 1, 0, 0);
        dead(1);
        assertThat(turn(Duration.ZERO)).hasSize(1);
        readings.remove(AlertMetric.DEAD_COUNT);
        assertThat(turn(Duration.ofMinutes(1))).isEmpty();
        dead(0);
        assertThat(turn(Duration.ofMinutes(1))).singleElement().asString().contains("Over");
    }

    @Test
    void everythingOfOneTurnIsOneMessageWithALimitOfLines() throws SQLException {
        rule(AlertMetric.MISSING_HEARTBEAT, 30, 0, 0);
        List<Reading> nodes = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            nodes.add(new Reading("node-" + i, 45));
        }
        readings.put(AlertMetric.MISSING_HEARTBEAT, nodes);
        assertThat(turn(Duration.ZERO))
                .singleElement()
                .asString()
                .contains("20 alert(s), 0 over, in orders")
                .contains("node-0: no heartbeat for 45 s")
                .contains("… and 8 more");
    }

    @Test
    void aMuteSilencesUntilItExpires() throws SQLException {
        AlertRule rule = rule(AlertMetric.DEAD_COUNT, 1, 0, 0);
        Mute mute = new Mute("m", "orders", rule.id(), "deploying", now.plus(Duration.ofMinutes(30)), "anna");
        new AlertStore(dataSource, outbox.node.db.Flavor.of("postgresql")).insert(mute, now);
        dead(5);
        assertThat(turn(Duration.ofMinutes(1))).isEmpty();
        assertThat(turn(Duration.ofMinutes(30))).as("it is still so").hasSize(1);
        assertThatThrownBy(() -> alerts.mute("orders", null, "for ever", Duration.ofDays(31), "anna"))
                .hasMessageContaining("30 days");
        assertThatThrownBy(() -> alerts.mute("orders", null, " ", Duration.ofHours(1), "anna"))
                .hasMessageContaining("needs a reason");
    }

    @Test
    void aChannelThatIsFloodedGetsADigestLater() throws SQLException {
        rule(AlertMetric.DEAD_COUNT, 1, 0, 0);
        int messages = 0;
        for (int i = 0; i < 10; i++) {
            dead(i % 2 == 0 ? 1 : 0);
            messages += turn(Duration.ofSeconds(10)).size();
        }
        assertThat(messages).isEqualTo(Notices.MESSAGES);
        dead(1);
        assertThat(turn(Duration.ofSeconds(10))).isEmpty();
        assertThat(turn(Notices.WINDOW)).singleElement().asString().contains("Digest: ");
    }

    @Test
    void aChannelThatFailsIsTriedAgainLaterAndTheLogSaysWhy() throws SQLException {
        rule(AlertMetric.DEAD_COUNT, 1, 0, 0);
        dead(1);
        receiver.answer(500);
        assertThat(turn(Duration.ZERO)).hasSize(1);
        assertThat(turn(Duration.ofSeconds(5))).as("not at once").isEmpty();
        assertThat(turn(Duration.ofSeconds(15))).hasSize(1);
        receiver.answer(200);
        assertThat(turn(Duration.ofMinutes(5))).hasSize(1);
        assertThat(turn(Duration.ofMinutes(5))).isEmpty();
        assertThat(alerts.deliveries())
                .extracting(Alerts.Delivery::error)
                .containsExactly(null, "Slack answered 500", "Slack answered 500");
    }

    @Test
    void aRuleThatIsSwitchedOffTakesItsAlertsWithIt() throws SQLException {
        AlertRule rule = rule(AlertMetric.DEAD_COUNT, 1, 0, 0);
        dead(1);
        turn(Duration.ZERO);
        alerts.deleteRule(rule.id());
        assertThat(turn(Duration.ofMinutes(1))).isEmpty();
        assertThat(alerts.of("orders")).isEmpty();
    }

    @Test
    void withoutRulesNobodyLooksAfterThePurge() throws SQLException {
        assertThat(alerts.look()).as("the purge is due").isTrue();
        assertThat(alerts.look()).isFalse();
        rule(AlertMetric.DEAD_COUNT, 1, 0, 0);
        assertThat(alerts.look()).isTrue();
    }

    @Test
    void ofTwoControlCentersOneLooks() throws SQLException {
        rule(AlertMetric.DEAD_COUNT, 1, 0, 0);
        Alerts second = another();
        assertThat(alerts.look()).isTrue();
        assertThat(second.look()).isFalse();
        assertThat(alerts.look()).isTrue();
        alerts.close();
        assertThat(second.look()).as("the first one gave the lead back").isTrue();
    }

    @Test
    void secretsAreEncryptedAndBoundToTheirRow() throws SQLException {
        String stored;
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            try (ResultSet rows = statement.executeQuery("SELECT * FROM outbox_cc_channel")) {
                assertThat(rows.next()).isTrue();
                stored = rows.getString("settings");
                for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
                    assertThat(rows.getString(i)).doesNotContain("hidden-part");
                }
            }
            Channels.Channel other =
                    alerts.channels().create("other", "slack", Map.of("url", receiver.url() + "/2"), "anna", now);
            statement.executeUpdate(
                    "UPDATE outbox_cc_channel SET settings = '" + stored + "' WHERE id = '" + other.id() + "'");
            assertThat(alerts.test(other, "anna")).contains("cannot be decrypted");
        }
        assertThat(alerts.channels().all().toString()).doesNotContain("hidden-part");
    }

    @Test
    void aTestSaysWhetherItArrived() throws SQLException {
        assertThat(alerts.test(channel, "anna")).isNull();
        assertThat(receiver.taken())
                .singleElement()
                .asString()
                .contains("Test of channel room")
                .contains("anna");
        receiver.answer(404);
        assertThat(alerts.test(channel, "anna")).isEqualTo("Slack answered 404");
    }

    @Test
    void channelsLeadOutOnlyAndNeedTheirSettings() {
        Channels strict = new Alerts(dataSource, List::of, (application, metric) -> null, strictSetup()).channels();
        assertThatThrownBy(() -> strict.create("x", "slack", Map.of("url", receiver.url()), "anna", now))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("hidden-part");
        assertThatThrownBy(() -> strict.create("x", "webhook", Map.of("url", "https://example.com/"), "anna", now))
                .hasMessageContaining("'secret'");
        assertThatThrownBy(() -> strict.create("x", "mail", Map.of("to", "a@example.com"), "anna", now))
                .hasMessageContaining("no mail server");
        assertThatThrownBy(() -> strict.create("x", "pigeon", Map.of(), "anna", now))
                .hasMessageContaining("dingtalk");
    }

    private static Alerts.Setup strictSetup() {
        return new Alerts.Setup(
                new SecretKeySpec(new byte[32], "AES"),
                WebhookClient.builder().build(),
                null,
                null,
                Duration.ofHours(1));
    }
}
