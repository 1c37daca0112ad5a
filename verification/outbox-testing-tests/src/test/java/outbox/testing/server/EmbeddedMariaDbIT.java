package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class EmbeddedMariaDbIT extends EmbeddedServerContract {

    @Override
    EmbeddedServer start(ServerOptions options) {
        return EmbeddedMariaDb.start(options);
    }

    @Override
    ServerProgram program() {
        return new EmbeddedMariaDb.Program();
    }

    @Override
    DatabaseServer shared() {
        return EmbeddedMariaDb.shared();
    }

    @Override
    ServerOptions unusualSetting() {
        return ServerOptions.defaults().with("log-bin", "").with("binlog_format", "ROW");
    }

    @Override
    String queryOfUnusualSetting() {
        return "SELECT CONCAT(@@global.log_bin, ' ', @@global.binlog_format)";
    }

    @Override
    String valueOfUnusualSetting() {
        return "ON ROW";
    }

    @Override
    ServerOptions impossibleSetting() {
        return ServerOptions.defaults().with("no_such_setting", "1");
    }

    @Test
    void commitsAreDurable() throws SQLException {
        TestDatabase database = server().freshDatabase();

        assertThat(queryString(database, "SELECT @@global.innodb_flush_log_at_trx_commit"))
                .isEqualTo("1");
        assertThat(queryString(database, "SELECT @@global.innodb_doublewrite")).isEqualTo("ON");
        assertThat(queryString(database, "SELECT @@global.innodb_flush_method")).isEqualTo("O_DIRECT");
    }

    @Test
    void itIsTheVersionTheDocumentationNames() {
        assertThat(server().name()).isEqualTo("mariadb");
        assertThat(server().version()).startsWith("11.4.5");
    }
}
