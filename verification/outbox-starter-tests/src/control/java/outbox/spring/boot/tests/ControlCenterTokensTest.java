package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.control.remote.RemoteApplication;
import outbox.control.remote.RemoteCall;
import outbox.control.remote.RemoteSource;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;

/** API tokens of the page inside an application, past the application's own login. */
@Timeout(600)
@ExtendWith(OutputCaptureExtension.class)
class ControlCenterTokensTest {
    private static final String EVENTS = "/api/v1/apps/outbox/events";
    private static final String CI = "0123456789abcdef0123456789abcdef";
    private static final String LOOKING = "fedcba9876543210fedcba9876543210";
    private static final String[] TOKENS = {
        "outbox.control-center.tokens.ci.secret=" + CI,
        "outbox.control-center.tokens.ci.role=operator",
        "outbox.control-center.tokens.looking.secret=" + LOOKING
    };

    static class Handlers {
        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {}
    }

    private static ConfigurableApplicationContext start(String... settings) {
        return ControlCenterApps.start(List.of(Plain.class, LoginForm.class, Handlers.class), settings);
    }

    @Test
    void anotherControlCenterReachesTheApplicationByItsTokenAndNamesTheUser() throws Exception {
        try (ConfigurableApplicationContext context = start(TOKENS);
                RemoteSource remote = new RemoteSource(
                                RemoteApplication.of("shop", ControlCenterApps.server(context), CI)
                                        .withNameThere("outbox"),
                                Duration.ofMillis(100))
                        .start()) {
            await().until(() -> remote.latest().sample() != null);
            assertThat(remote.problem()).isNull();
            assertThat(remote.latest().allows("act")).isTrue();
            assertThat(remote.latest().allows("payloads")).isFalse();

            RemoteCall park = new RemoteCall(
                    "POST",
                    "/apps/outbox/events/none/park",
                    "{}".getBytes(StandardCharsets.UTF_8),
                    Map.of("X-Outbox-Operator", "anna", "X-Outbox-Operator-Rights", "operator"));
            assertThat(remote.send(park).status()).isEqualTo(404);
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForList("SELECT DISTINCT actor FROM outbox_cc_audit", String.class))
                    .containsExactly("anna (token ci)");
        }
    }

    @Test
    void aTokenOfThePropertiesGetsPastTheLoginWithItsRoleAndNoOther(CapturedOutput output) throws Exception {
        try (ConfigurableApplicationContext context = start(TOKENS)) {
            assertThat(ControlCenterApps.send(context, "GET", EVENTS, null).statusCode())
                    .as("no token: the application's own login")
                    .isEqualTo(302);
            assertThat(ControlCenterApps.send(context, "GET", EVENTS, CI.replace('0', '1'))
                            .statusCode())
                    .as("a token nobody knows")
                    .isEqualTo(302);
            assertThat(ControlCenterApps.send(context, "GET", "/", CI).statusCode())
                    .as("the page itself is for those who log in")
                    .isEqualTo(302);

            HttpResponse<String> session = ControlCenterApps.send(context, "GET", "/api/v1/session", CI);
            assertThat(session.statusCode()).isEqualTo(200);
            assertThat(session.body())
                    .contains("\"operator\":\"token ci\"")
                    .contains("\"act\":true")
                    .contains("\"payloads\":false");
            assertThat(ControlCenterApps.send(context, "GET", EVENTS, LOOKING).statusCode())
                    .isEqualTo(200);
            assertThat(ControlCenterApps.send(context, "DELETE", EVENTS + "/none", LOOKING)
                            .statusCode())
                    .as("a viewer changes nothing")
                    .isEqualTo(403);
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForList("SELECT actor FROM outbox_cc_audit", String.class))
                    .containsExactly("token looking");
        }
        assertThat(output.getAll()).doesNotContain(CI, LOOKING);
    }

    @Test
    void aShortSecretIsRefusedAtTheStartAndNotRepeated() {
        assertThatThrownBy(() -> start("outbox.control-center.tokens.ci.secret=hunter2"))
                .rootCause()
                .hasMessageContaining("outbox.control-center.tokens.ci.secret needs at least 32 characters")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void whereOnlyTokensHaveARoleThereIsAnApi() throws Exception {
        try (ConfigurableApplicationContext context =
                ControlCenterApps.start(List.of(Plain.class, LoginForm.class, Handlers.class), TOKENS)) {
            context.getBean(DomainEventPublisher.class);
            assertThat(ControlCenterApps.send(context, "GET", EVENTS, CI).statusCode())
                    .isEqualTo(200);
        }
    }
}
