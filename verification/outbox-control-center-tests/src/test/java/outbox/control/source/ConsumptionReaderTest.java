package outbox.control.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import outbox.control.OutboxTable;
import outbox.testing.server.EmbeddedH2;

class ConsumptionReaderTest {
    @Test
    void progressIsReadFromTheTableTheApplicationKeepsItIn() throws Exception {
        Application application = OutboxTable.on(EmbeddedH2.shared()).application();
        assertThat(new ConsumptionReader(application).of("e-1")).as("no table").isNull();
        try (Connection conn = application.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            statement.execute("CREATE SCHEMA IF NOT EXISTS shop");
            statement.execute("DROP TABLE IF EXISTS shop.progress");
            statement.execute("CREATE TABLE shop.progress (event_id VARCHAR(36), handler VARCHAR(64), state SMALLINT,"
                    + " attempts INT, next_attempt_at TIMESTAMP(6) WITH TIME ZONE, last_error VARCHAR(4000),"
                    + " updated_at TIMESTAMP(6) WITH TIME ZONE)");
            statement.execute("INSERT INTO shop.progress VALUES ('e-1', 'mail', 2, 1, CURRENT_TIMESTAMP, 'smtp down',"
                    + " CURRENT_TIMESTAMP)");
        }

        ConsumptionReader reader = new ConsumptionReader(application.withConsumptionTable("shop.progress"));

        assertThat(reader.of("e-1")).singleElement().satisfies(state -> {
            assertThat(state.handler()).isEqualTo("mail");
            assertThat(state.state()).isEqualTo(EventState.RETRY);
            assertThat(state.error()).isEqualTo("smtp down");
        });
    }
}
