package outbox.testing.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.testing.server.EmbeddedServerContract.execute;
import static outbox.testing.server.EmbeddedServerContract.queryString;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class EmbeddedH2Test {

    private final DatabaseServer h2 = EmbeddedH2.shared();

    @Test
    void itHasNameAndVersion() {
        assertThat(h2.name()).isEqualTo("h2");
        assertThat(h2.version()).startsWith("2.");
    }

    @Test
    void freshDatabasesAreIsolatedAndOutliveTheirConnections() throws SQLException {
        TestDatabase one = h2.freshDatabase();
        TestDatabase other = h2.freshDatabase();

        execute(one, "CREATE TABLE t (id INT PRIMARY KEY)");
        execute(other, "CREATE TABLE t (id INT PRIMARY KEY)");
        execute(one, "INSERT INTO t VALUES (1)");

        assertThat(queryString(one, "SELECT COUNT(*) FROM t")).isEqualTo("1");
        assertThat(queryString(other, "SELECT COUNT(*) FROM t")).isEqualTo("0");
    }

    @Test
    void aDroppedDatabaseIsEmptyWhenItIsCreatedAgain() throws SQLException {
        TestDatabase database = h2.createDatabase("dropped_and_created");
        execute(database, "CREATE TABLE t (id INT PRIMARY KEY)");

        database.drop();
        h2.createDatabase("dropped_and_created");

        assertThatThrownBy(() -> queryString(database, "SELECT COUNT(*) FROM t"))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void aNameThatCouldSmuggleSettingsIsRefused() {
        assertThatThrownBy(() -> h2.createDatabase("x;INIT=DROP ALL OBJECTS"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("x;INIT=DROP ALL OBJECTS");
    }
}
