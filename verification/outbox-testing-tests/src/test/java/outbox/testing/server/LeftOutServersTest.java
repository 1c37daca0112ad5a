package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LeftOutServersTest {
    private final String before = System.getProperty("outbox.test.without", "");

    @AfterEach
    void restore() {
        System.setProperty("outbox.test.without", before);
        System.clearProperty("outbox.test.mariadb.url");
    }

    @Test
    void aTestThatNeedsAServerThatIsLeftOutIsNotRunAndSaysHowToRunIt() {
        System.setProperty("outbox.test.without", "mysql,mariadb");
        assertThatThrownBy(EmbeddedMySql::shared)
                .hasMessageContaining("NOT RUN: needs MySQL")
                .hasMessageContaining("-Doutbox.test.mysql.url=");
        assertThatThrownBy(() -> EmbeddedMariaDb.start(ServerOptions.defaults()))
                .hasMessageContaining("NOT RUN: needs MariaDB");
    }

    @Test
    void aServerOfOnesOwnIsUsedAllTheSame() {
        System.setProperty("outbox.test.without", "mariadb");
        System.setProperty("outbox.test.mariadb.url", "jdbc:mariadb://127.0.0.1:3306/");
        LeftOutServers.check(DatabaseKind.MARIADB);
        assertThat(ConfiguredServer.find(DatabaseKind.MARIADB)).isPresent();
    }
}
