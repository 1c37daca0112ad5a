package outbox.control.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.crypto.spec.SecretKeySpec;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import outbox.control.ControlCenter;
import outbox.testing.server.EmbeddedH2;

/** Announced applications of several control centers on one database. */
@Timeout(120)
class RemoteSourcesTest {
    private static final String TOKEN = "a-token-that-is-not-stored-as-it-is";
    private static final RemoteApplication SHOP = RemoteApplication.of("shop", "http://127.0.0.1:1/outbox", TOKEN);

    private DataSource dataSource;

    @BeforeEach
    void tables() throws Exception {
        dataSource = EmbeddedH2.shared().freshDatabase().dataSource();
        ControlCenter.schema("h2").apply(dataSource);
    }

    private RemoteSources sources(byte key, String... allowed) {
        byte[] bytes = new byte[32];
        bytes[0] = key;
        return new RemoteSources(
                        Set.of("orders"),
                        List.of(),
                        Duration.ofHours(1),
                        AllowedUrls.of(List.of(allowed)),
                        dataSource,
                        new SecretKeySpec(bytes, "AES"))
                .start();
    }

    @Test
    void anotherControlCenterLearnsOfAnnouncementsAndOfTheirEnd() throws Exception {
        try (RemoteSources one = sources((byte) 1, "http://127.0.0.1:1");
                RemoteSources other = sources((byte) 1, "http://127.0.0.1:1")) {
            one.announce(SHOP, "anna");
            assertThat(one.isAnnounced("shop")).isTrue();
            RemoteSource source = one.of("shop");
            one.announce(SHOP.withNameThere("till"), "anna");
            assertThat(source.isClosed()).as("the one before is polled no more").isTrue();
            await().atMost(Duration.ofSeconds(60)).until(() -> other.of("shop") != null);
            assertThat(other.of("shop").application().nameThere()).isEqualTo("till");
            assertThat(other.of("shop").application().token()).isEqualTo(TOKEN);
            assertThat(one.forget("shop")).isTrue();
            assertThat(one.all()).isEmpty();
            await().atMost(Duration.ofSeconds(60)).until(() -> other.of("shop") == null);
        }
    }

    @Test
    void tokensAreStoredEncrypted() throws Exception {
        try (RemoteSources one = sources((byte) 1, "http://127.0.0.1:1")) {
            one.announce(SHOP, "anna");
        }
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement();
                ResultSet row = statement.executeQuery("SELECT token FROM outbox_cc_announcement")) {
            assertThat(row.next()).isTrue();
            assertThat(row.getString(1)).doesNotContain(TOKEN);
        }
        try (RemoteSources withAnotherKey = sources((byte) 2, "http://127.0.0.1:1")) {
            assertThat(withAnotherKey.all()).isEmpty();
        }
    }

    @Test
    void whatIsNoLongerAllowedIsNotConnectedToAfterARestart() throws Exception {
        try (RemoteSources one = sources((byte) 1, "http://127.0.0.1:1")) {
            one.announce(SHOP, "anna");
        }
        try (RemoteSources stricter = sources((byte) 1, "https://*.internal")) {
            assertThat(stricter.all()).isEmpty();
            assertThatThrownBy(() -> stricter.announce(SHOP, "anna")).hasMessageContaining("may not connect to");
        }
    }
}
