package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class EmbeddedPostgresIT extends EmbeddedServerContract {

    @Override
    EmbeddedServer start(ServerOptions options) {
        return EmbeddedPostgres.start(options);
    }

    @Override
    ServerProgram program() {
        return new EmbeddedPostgres.Program(RunAs::unprivileged);
    }

    @Override
    DatabaseServer shared() {
        return EmbeddedPostgres.shared();
    }

    @Override
    ServerOptions unusualSetting() {
        return ServerOptions.defaults().with("wal_level", "logical");
    }

    @Override
    String queryOfUnusualSetting() {
        return "SHOW wal_level";
    }

    @Override
    String valueOfUnusualSetting() {
        return "logical";
    }

    @Override
    ServerOptions impossibleSetting() {
        return ServerOptions.defaults().with("no_such_setting", "1");
    }

    @Test
    void commitsAreDurable() throws SQLException {
        TestDatabase database = server().freshDatabase();

        assertThat(queryString(database, "SHOW fsync")).isEqualTo("on");
        assertThat(queryString(database, "SHOW synchronous_commit")).isEqualTo("on");
        assertThat(queryString(database, "SHOW full_page_writes")).isEqualTo("on");
        assertThat(queryString(database, "SHOW max_connections")).isEqualTo("200");
    }

    @Test
    void itIsTheVersionTheDocumentationNames() {
        assertThat(server().name()).isEqualTo("postgresql");
        assertThat(server().version()).isEqualTo("18.6");
    }

    /** The way for root where the kernel refuses user namespaces; other users cannot take it and are not led to it. */
    @Test
    void rootCanLendTheServerToNobody() throws SQLException {
        if (!RunAs.NOBODY.isPossible()) {
            assertThat(RunAs.unprivileged(server().directory())).isNotEqualTo(RunAs.NOBODY);
            return;
        }
        ServerProgram program = new EmbeddedPostgres.Program(home -> RunAs.NOBODY);

        try (EmbeddedServer lent = EmbeddedServer.launch(program, ServerOptions.defaults())) {
            TestDatabase database = lent.freshDatabase();
            lent.restart();
            assertThat(queryString(database, "SELECT 1")).isEqualTo("1");
        }
    }
}
