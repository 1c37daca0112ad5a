package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class EmbeddedMySqlIT extends EmbeddedServerContract {

    @Override
    EmbeddedServer start(ServerOptions options) {
        return EmbeddedMySql.start(options);
    }

    @Override
    ServerProgram program() {
        return new EmbeddedMySql.Program();
    }

    @Override
    DatabaseServer shared() {
        return EmbeddedMySql.shared();
    }

    @Override
    ServerOptions unusualSetting() {
        return ServerOptions.defaults().with("binlog_row_image", "minimal");
    }

    @Override
    String queryOfUnusualSetting() {
        return "SELECT @@global.binlog_row_image";
    }

    @Override
    String valueOfUnusualSetting() {
        return "MINIMAL";
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
        assertThat(queryString(database, "SELECT @@global.sync_binlog")).isEqualTo("1");
        assertThat(queryString(database, "SELECT @@global.innodb_doublewrite")).isEqualTo("1");
        assertThat(queryString(database, "SELECT @@global.innodb_flush_method")).isEqualTo("fsync");
    }

    @Test
    void theBinaryLogIsOnAndHasRows() throws SQLException {
        TestDatabase database = server().freshDatabase();

        assertThat(queryString(database, "SELECT @@global.log_bin")).isEqualTo("1");
        assertThat(queryString(database, "SELECT @@global.binlog_format")).isEqualTo("ROW");
    }

    @Test
    void itIsTheVersionTheDocumentationNames() {
        assertThat(server().name()).isEqualTo("mysql");
        assertThat(server().version()).isEqualTo("8.0.15");
    }
}
