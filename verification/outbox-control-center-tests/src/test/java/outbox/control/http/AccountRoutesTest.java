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
import outbox.control.access.Actor;
import outbox.control.access.FirstAdmin;
import outbox.control.access.Operator;
import outbox.control.access.Rights;
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
        accounts = new Accounts(orders.dataSource(), center.audit(), new ReversedPasswords(), InstantSource.system());
        Map<String, Role> viewer = Map.of("orders", Role.VIEWER);
        accounts.create("vera", OLD, Rights.of(viewer), Actor.PROGRAM);
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
                .containsExactly("password.change", "user.create");
    }

    @Test
    void aPasswordThatWasNotChangedIsNotWrittenDownAsChanged() throws Exception {
        assertThat(reset("nobody").statusCode()).isEqualTo(404);
        assertThat(center.audit().page(null, null, 10))
                .extracting(AuditEntry::action, AuditEntry::outcome)
                .containsExactly(
                        tuple("request POST", "refused"), tuple("request POST", "started"), tuple("user.create", "ok"));
    }

    @Test
    void usersAndTokensThatWereChangedBehindTheAuditLogAreFound() throws Exception {
        assertThat(post("/users", "root", user("ben")).statusCode()).isEqualTo(201);
        assertThat(post("/users", "root", user("carl")).statusCode()).isEqualTo(201);
        assertThat(web.send(
                                "PUT",
                                "/api/v1/users/carl",
                                "root",
                                "{\"roles\":{\"*\":\"admin\"},\"payloads\":true,\"clones\":true}",
                                SameOrigin.HEADER,
                                "1")
                        .statusCode())
                .isEqualTo(200);
        assertThat(post("/users/ben/disable", "root", "{}").statusCode()).isEqualTo(200);
        assertThat(changeOwn().statusCode()).isEqualTo(200);
        String tokens = "{\"name\":\"ci\",\"days\":1,\"roles\":{\"*\":\"viewer\"}}";
        assertThat(post("/tokens", "root", tokens).statusCode()).isEqualTo(201);
        assertThat(verify()).contains("\"intact\":true");

        orders.execute("UPDATE outbox_cc_user SET disabled = 0 WHERE name = 'ben'");
        orders.execute("UPDATE outbox_cc_user SET password_hash = 'known' WHERE name = 'carl'");
        orders.execute("INSERT INTO outbox_cc_user SELECT 'eve', password_hash, '*=admin', 1, 1, 0, created_at"
                + " FROM outbox_cc_user WHERE name = 'vera'");
        orders.execute("DELETE FROM outbox_cc_user WHERE name = 'vera'");
        orders.execute("UPDATE outbox_cc_token SET roles = '*=admin'");
        assertThat(verify())
                .contains("\"intact\":false")
                .contains("user ben was changed without an audit entry")
                .contains("user carl was changed without an audit entry")
                .contains("user eve exists, but no audit entry created it")
                .contains("user vera was deleted without an audit entry")
                .containsPattern("token \\w{26} was changed without an audit entry");
    }

    private static String user(String name) {
        return "{\"name\":\"" + name + "\",\"password\":\"" + OLD + "\",\"roles\":{\"orders\":\"viewer\"}}";
    }

    private String verify() throws Exception {
        return web.send("GET", "/api/v1/audit/verify", "root", null).body();
    }

    @Test
    void oneUserHasOneNameHoweverItIsWritten() throws Exception {
        assertThat(accounts.logIn("VERA", OLD)).isNotNull();
        assertThat(accounts.logIn("Vera", OLD).operator().name()).isEqualTo("vera");
        String body = "{\"name\":\"VERA\",\"password\":\"" + NEW + "\",\"roles\":{\"orders\":\"viewer\"}}";
        HttpResponse<String> second = post("/users", "root", body);
        assertThat(second.statusCode()).isEqualTo(400);
        assertThat(second.body()).contains("there is a user 'vera' already");
        assertThat(post("/users", "root", body.replace("VERA", "Root")).statusCode())
                .isEqualTo(201);
        assertThat(post("/users/ROOT/disable", "root", "{}").statusCode())
                .as("your own account, however it is written")
                .isEqualTo(409);
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
