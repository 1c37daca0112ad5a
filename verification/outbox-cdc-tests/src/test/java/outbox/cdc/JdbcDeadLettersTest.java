package outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import outbox.model.OutboxEvent;
import outbox.testing.server.EmbeddedPostgres;

class JdbcDeadLettersTest {
    /** As a text of another alphabet in a database without it. Otherwise the relay would wait for it for ever. */
    @Test
    void anErrorTextThatTheDatabaseRefusesIsLeftOutAndTheLetterIsKept() throws SQLException {
        DataSource dataSource = EmbeddedPostgres.shared().freshDatabase().dataSource();
        try (Connection conn = dataSource.getConnection();
                Statement statement = conn.createStatement()) {
            CdcSchema.of("postgresql").apply(conn);
            statement.execute("ALTER TABLE outbox_cdc_dead ADD CHECK (last_error NOT LIKE '%snowman%')");
            OutboxEvent row = new OutboxEvent("e-1", "order.placed", "Order", "42", null, "{}", null, 0, Instant.now());

            new JdbcDeadLetters(dataSource::getConnection)
                    .add(new CdcDeadLetter("relay", row, null, 3, "java.io.IOException: a snowman"));

            try (ResultSet letter = statement.executeQuery("SELECT attempts, last_error FROM outbox_cdc_dead")) {
                assertThat(letter.next()).isTrue();
                assertThat(letter.getInt(1)).isEqualTo(3);
                assertThat(letter.getString(2)).contains("refused").doesNotContain("snowman");
            }
        }
    }
}
