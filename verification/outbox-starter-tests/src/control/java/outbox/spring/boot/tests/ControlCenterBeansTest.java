package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import outbox.Outbox;
import outbox.control.ControlCenter;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditKey;
import outbox.control.http.OperatorSource;
import outbox.control.source.Application;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;

/** Beans and settings of an application that change what the control center inside it does. */
class ControlCenterBeansTest {
    static class Mailer {
        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {}
    }

    /** The application's own rules come first and let every request through. */
    static class OpenToAll {
        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    static class OwnOperators {
        @Bean
        OperatorSource gateway() {
            return request -> {
                String user = request.getHeader("X-Gateway-User");
                return user == null ? null : Operator.everywhere(user, Role.ADMIN, true);
            };
        }
    }

    static class MoreOperators {
        @Bean
        OperatorSource anotherGateway() {
            return request -> null;
        }
    }

    @Test
    void anOwnOperatorSourceDecidesWhoSendsARequest() throws Exception {
        try (ConfigurableApplicationContext context =
                ControlCenterApps.start(List.of(Plain.class, OpenToAll.class, OwnOperators.class, Mailer.class))) {
            assertThat(ControlCenterApps.send(context, "GET", "/api/v1/apps/outbox/events", null)
                            .statusCode())
                    .isEqualTo(401);
            assertThat(ControlCenterApps.send(context, "GET", "/api/v1/session", null, "X-Gateway-User", "robot")
                            .body())
                    .contains("\"operator\":\"robot\"")
                    .contains("\"admin\":true");
        }
    }

    @Test
    void severalOperatorSourcesAreRefused() {
        assertThatThrownBy(() -> ControlCenterApps.start(
                        List.of(Plain.class, OpenToAll.class, OwnOperators.class, MoreOperators.class, Mailer.class)))
                .rootCause()
                .hasMessageContaining("OperatorSource")
                .hasMessageContaining("gateway")
                .hasMessageContaining("anotherGateway");
    }

    static class OwnCenter {
        @Bean
        ControlCenter desk(DataSource dataSource, Outbox outbox) { // after the tables are there
            return ControlCenter.builder(dataSource, new AuditKey(new byte[32]))
                    .application(Application.of("desk", dataSource))
                    .build();
        }
    }

    private static int events(ConfigurableApplicationContext context, String application) throws Exception {
        return ControlCenterApps.send(
                        context, "GET", "/api/v1/apps/" + application + "/events", null, "X-Gateway-User", "robot")
                .statusCode();
    }

    @Test
    void anOwnControlCenterIsServedAndWhatWouldShapeOursIsRefused() throws Exception {
        List<Class<?>> parts = List.of(Plain.class, OpenToAll.class, OwnOperators.class, OwnCenter.class, Mailer.class);
        try (ConfigurableApplicationContext context =
                ControlCenterApps.start(parts, "outbox.control-center.secret=", "outbox.schema.mode=always")) {
            assertThat(events(context, "desk")).isEqualTo(200);
            assertThat(events(context, "outbox")).isEqualTo(404);
        }
        assertThatThrownBy(() -> ControlCenterApps.start(
                        parts, "outbox.control-center.read-only=true", "outbox.control-center.masked=iban"))
                .rootCause()
                .hasMessageContaining("there is a ControlCenter bean")
                .hasMessageContaining("outbox.control-center.masked, outbox.control-center.read-only");
    }

    @Test
    void aHeartbeatOfZeroSwitchesHeartbeatsOff() {
        try (ConfigurableApplicationContext context = ControlCenterApps.start(
                List.of(Plain.class, OpenToAll.class, OwnOperators.class, Mailer.class),
                "outbox.control-center.heartbeat=PT0S")) {
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT COUNT(*) FROM outbox_node", Integer.class))
                    .isZero();
        }
        try (ConfigurableApplicationContext context =
                ControlCenterApps.start(List.of(Plain.class, OpenToAll.class, OwnOperators.class, Mailer.class))) {
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT COUNT(*) FROM outbox_node", Integer.class))
                    .as("the first one is sent before anything is delivered")
                    .isEqualTo(1);
        }
    }
}
