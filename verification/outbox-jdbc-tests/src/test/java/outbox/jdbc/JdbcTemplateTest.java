package outbox.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import outbox.testing.server.EmbeddedH2;

class JdbcTemplateTest {
    @Test
    void statementsRunOnTheConnectionOfTheCallerAndLeaveItOpen() throws SQLException {
        try (Connection conn = new DataSourceConnectionProvider(
                        EmbeddedH2.shared().freshDatabase().dataSource())
                .getConnection()) {
            conn.setAutoCommit(false);
            JdbcTemplate.update(conn, "CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(9))", s -> {});
            conn.commit();
            assertThat(JdbcTemplate.update(conn, "INSERT INTO t VALUES (?, ?), (2, 'b')", statement -> {
                        statement.setInt(1, 1);
                        statement.setString(2, "a");
                    }))
                    .isEqualTo(2);
            assertThat(JdbcTemplate.query(
                            conn,
                            "SELECT name FROM t ORDER BY id DESC",
                            JdbcTemplate.Binder.NOTHING,
                            row -> row.getString(1)))
                    .containsExactly("b", "a");
            assertThat(JdbcTemplate.updateReturning(
                            conn,
                            "SELECT id FROM FINAL TABLE (UPDATE t SET name = 'c' WHERE id = ?)",
                            statement -> statement.setInt(1, 2),
                            row -> row.getInt(1)))
                    .containsExactly(2);
            assertThatThrownBy(() -> JdbcTemplate.update(conn, "INSERT INTO t VALUES (1, 'twice')", s -> {}))
                    .isInstanceOf(SQLException.class);
            conn.rollback();
            assertThat(JdbcTemplate.query(conn, "SELECT id FROM t", s -> {}, row -> row.getInt(1)))
                    .isEmpty();
        }
    }
}
