package outbox.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.webhook.WebhookClient;
import outbox.webhook.WebhookSecret;
import outbox.webhook.WebhookVerifier;

/** What arrives at a server, with signatures that were computed elsewhere. */
@Timeout(60)
class AlertChannelsTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochMilli(1_700_000_000_123L));
    private static final AlertMessage MESSAGE = new AlertMessage(
            AlertMessage.Kind.PROBLEM,
            "[orders] 3 dead <at user_id=\"all\">",
            List.of("line \"one\"", "bad\nguy <!channel> & co"),
            URI.create("https://ops.example/outbox/#/orders/"));

    private Loopback server;
    private WebhookClient client;
    private AlertChannels channels;

    @BeforeEach
    void start() throws IOException {
        server = new Loopback();
        client = WebhookClient.builder()
                .allowHttp()
                .allowAddresses("127.0.0.0/8")
                .build();
        channels = new AlertChannels(client, CLOCK);
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    @Test
    void dingTalkIsSignedInTheUrl() throws Exception {
        server.answer = "{\"errcode\":0,\"errmsg\":\"ok\"}";
        channels.dingTalk(server.url("/robot/send?access_token=abc"), "SECabc").send(MESSAGE);
        Loopback.Received got = server.received.take();
        // Python: quote_plus(b64encode(hmac(secret, f"{timestamp}\n{secret}", sha256)))
        assertThat(got.uri().getRawQuery())
                .isEqualTo(
                        "access_token=abc&timestamp=1700000000123&sign=IqXBU%2FaLfwMA3S%2FtDcfRmHx5vWHw9Y1aOgFLBr1Ti9w%3D");
        assertThat(got.body())
                .startsWith("{\"msgtype\":\"text\",\"text\":{\"content\":\"[orders] 3 dead ")
                .contains("line \\\"one\\\"\\nbad guy")
                .doesNotContain("isAtAll");
    }

    @Test
    void aProblemMentionsPeopleInDingTalkAndWeComAndARecoveryDoesNot() throws Exception {
        server.answer = "{\"errcode\":0}";
        Mentions mentions = new Mentions(List.of("13800000000", "13900000000"), true);
        AlertMessage over = new AlertMessage(AlertMessage.Kind.RECOVERY, "[orders] over", List.of(), null);

        AlertChannel dingTalk = channels.dingTalk(server.url("/robot"), null, mentions);
        dingTalk.send(MESSAGE);
        assertThat(server.received.take().body())
                .as("DingTalk highlights only the numbers that stand in the text")
                .contains("\\n@13800000000\\n@13900000000\"}")
                .endsWith("\"at\":{\"atMobiles\":[\"13800000000\",\"13900000000\"],\"isAtAll\":true}}");
        dingTalk.send(over);
        assertThat(server.received.take().body())
                .isEqualTo("{\"msgtype\":\"text\",\"text\":{\"content\":\"[orders] over\"}}");

        AlertChannel weCom = channels.weCom(server.url("/send"), mentions);
        weCom.send(MESSAGE);
        assertThat(server.received.take().body())
                .endsWith(",\"mentioned_mobile_list\":[\"13800000000\",\"13900000000\",\"@all\"]}}");
        weCom.send(over);
        assertThat(server.received.take().body())
                .isEqualTo("{\"msgtype\":\"text\",\"text\":{\"content\":\"[orders] over\"}}");
    }

    @Test
    void whatIsNoMobileNumberIsRefused() {
        assertThatThrownBy(() -> new Mentions(List.of("138\"]"), false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not a mobile number");
    }

    @Test
    void feishuIsSignedInTheBodyAndMentionsNobody() throws Exception {
        server.answer = "{\"code\":0,\"msg\":\"success\"}";
        channels.feishu(server.url("/hook"), "feishu-secret").send(MESSAGE);
        String body = server.received.take().body();
        // Python: b64encode(hmac(f"{timestamp}\n{secret}", b"", sha256))
        assertThat(body)
                .contains("\"timestamp\":\"1700000000\"")
                .contains("\"sign\":\"OrBzY1Y01Gq+HgJsl+7OfWcMVwc7YocohQm5iiZwjhU=\"")
                .contains("\"msg_type\":\"text\"")
                .doesNotContain("<at");
    }

    @Test
    void weComGetsTextThatIsNotTooLong() throws Exception {
        server.answer = "{\"errcode\": 0}";
        AlertMessage endless = new AlertMessage(
                AlertMessage.Kind.PROBLEM, "t", java.util.Collections.nCopies(40, "警告".repeat(100)), null);
        channels.weCom(server.url("/send?key=k")).send(endless);
        String body = server.received.take().body();
        assertThat(body.getBytes(java.nio.charset.StandardCharsets.UTF_8)).hasSizeLessThan(2100);
        assertThat(body).contains("警告").endsWith("…\"}}");
    }

    @Test
    void slackTakesNothingForAMention() throws Exception {
        channels.slack(server.url("/services/x")).send(MESSAGE);
        assertThat(server.received.take().body())
                .startsWith("{\"text\":\"[orders] 3 dead &lt;at")
                .contains("&lt;!channel&gt; &amp; co");
    }

    @Test
    void aWebhookIsSignedAsTheStandardSays() throws Exception {
        WebhookSecret secret = WebhookSecret.generate();
        AlertChannels now = new AlertChannels(client);
        now.webhook(server.url("/hooks"), secret).send(MESSAGE);
        Loopback.Received got = server.received.take();
        WebhookVerifier.of(secret)
                .verify(name -> got.headers().get(name), got.body().getBytes(java.nio.charset.StandardCharsets.UTF_8));
        assertThat(got.body())
                .startsWith("{\"type\":\"outbox.alert.problem\"")
                .contains("\"link\":\"https://ops.example/outbox/#/orders/\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"errcode\":310000,\"errmsg\":\"sign not match\"}", "<html>", ""})
    void anAnswerThatIsNotYesIsAFailure(String answer) {
        server.answer = answer;
        assertThatThrownBy(() -> channels.dingTalk(server.url("/x"), null).send(MESSAGE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("DingTalk refused");
        assertThatThrownBy(() -> channels.weCom(server.url("/x")).send(MESSAGE)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> channels.feishu(server.url("/x"), null).send(MESSAGE))
                .isInstanceOf(IOException.class);
    }

    @Test
    void aStatusThatIsNotSuccessIsAFailureWithoutTheUrl() {
        server.status = 403;
        server.answer = "invalid_token";
        assertThatThrownBy(
                        () -> channels.slack(server.url("/services/topsecret")).send(MESSAGE))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Slack answered 403: invalid_token")
                .hasMessageNotContaining("topsecret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://127.0.0.1/x",
                "https://169.254.169.254/latest",
                "https://[::1]/",
                "http://example.com/",
                "file:///etc/passwd",
                "https://10.0.0.1/"
            })
    void noChannelLeadsIntoTheOwnNetwork(String url) {
        try (WebhookClient strict = WebhookClient.builder().build()) {
            AlertChannels guarded = new AlertChannels(strict);
            URI uri = URI.create(url);
            assertThatThrownBy(() -> guarded.slack(uri)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> guarded.dingTalk(uri, null)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> guarded.feishu(uri, null)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> guarded.weCom(uri)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> guarded.webhook(uri, WebhookSecret.generate()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
