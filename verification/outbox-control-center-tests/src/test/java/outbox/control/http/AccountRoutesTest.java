package outbox.control.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import outbox.control.ControlCenter;
import outbox.control.OutboxTable;
import outbox.control.access.Accounts;
import outbox.control.access.FirstAdmin;
import outbox.control.access.Operator;
import outbox.control.access.Role;
import outbox.control.audit.AuditEntry;
import outbox.control.audit.AuditKey;
import outbox.testing.server.EmbeddedH2;

/** Passwords while the control center's own database is not all there. */
@Timeout(120)
class AccountRoutesTest {
    private static final String OLD = "correct horse battery";
    private static final String NEW = "an even better horse";
    private static final String USERS_AWAY = "ALTER TABLE outbox_cc_user RENAME TO users_away";
    private static final String USERS_BACK = "ALTER TABLE users_away RENAME TO outbox_cc_user";
    private static final String AUDIT_AWAY = "ALTER TABLE outbox_cc_audit RENAME TO audit_away";
    private static final String AUDIT_BACK = "ALTER TABLE audit_away RENAME TO outbox_cc_audit";

    @TempDir
    private Path directory;

    private OutboxTable orders;
    private ControlCenter center;
    private Accounts accounts;
    private WebFixture web;

    @BeforeEach
    void start() throws Exception {
        orders = OutboxTable.on(EmbeddedH2.shared());
        center = ControlCenter.builder(orders.dataSource(), new AuditKey(new byte[32]))
                .application(orders.application())
                .build();
        accounts = new Accounts(orders.dataSource(), new ReversedPasswords(), InstantSource.system());
        Map<String, Role> viewer = Map.of("orders", Role.VIEWER);
        accounts.create("vera", OLD, viewer, false);
        Map<String, Operator> operators = Map.of(
                "vera", new Operator("vera", viewer, false), "root", Operator.everywhere("root", Role.ADMIN, true));
        web = new WebFixture(
                new ControlCenterServlet(center, WebFixture.operators(operators), accounts, FirstAdmin.of(accounts)),
                directory);
    }

    @AfterEach
    void stop() throws Exception {
        web.close();
    }

    @Test
    void whileNobodyCanSayWhetherAPasswordIsRightNothingCountsAsAGuess() throws Exception {
        orders.execute(USERS_AWAY);
        for (int i = 0; i < 10; i++) {
            HttpResponse<String> answer = changeOwn();
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
        }
        orders.execute(USERS_BACK);
        assertPasswordIs(OLD);
        assertThat(changeOwn().statusCode()).isEqualTo(200);
        assertPasswordIs(NEW);
    }

    @Test
    void aPasswordThatCanNotBeWrittenDownAsChangedStays() throws Exception {
        orders.execute(AUDIT_AWAY);
        assertThat(changeOwn().statusCode()).isEqualTo(503);
        assertThat(reset("vera").statusCode()).isEqualTo(503);
        orders.execute(AUDIT_BACK);
        assertPasswordIs(OLD);
        assertThat(changeOwn().statusCode()).isEqualTo(200);
        assertPasswordIs(NEW);
        assertThat(center.audit().page(null, null, 10))
                .extracting(AuditEntry::action)
                .containsExactly("password.change");
    }

    @Test
    void aPasswordThatWasNotChangedIsNotWrittenDownAsChanged() throws Exception {
        assertThat(reset("nobody").statusCode()).isEqualTo(404);
        assertThat(center.audit().page(null, null, 10))
                .extracting(AuditEntry::action, AuditEntry::outcome)
                .containsExactly(tuple("request POST", "refused"), tuple("request POST", "started"));
    }

    private HttpResponse<String> changeOwn() throws Exception {
        return post("/password", "vera", "{\"current\":\"" + OLD + "\",\"password\":\"" + NEW + "\"}");
    }

    private HttpResponse<String> reset(String name) throws Exception {
        return post("/users/" + name + "/password", "root", "{\"password\":\"" + NEW + "\"}");
    }

    private HttpResponse<String> post(String path, String who, String body) throws Exception {
        return web.send("POST", "/api/v1" + path, who, body, SameOrigin.HEADER, "1");
    }

    private void assertPasswordIs(String password) throws Exception {
        assertThat(accounts.logIn("vera", password)).as(password).isNotNull();
    }
}
