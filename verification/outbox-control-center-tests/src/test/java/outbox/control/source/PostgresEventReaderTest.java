package outbox.control.source;

import static org.assertj.core.api.Assertions.assertThat;
import static outbox.control.OutboxTable.event;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import outbox.control.OutboxTable;
import outbox.testing.server.DatabaseServer;
import outbox.testing.server.EmbeddedPostgres;

class PostgresEventReaderTest extends EventReaderContract {
    @Override
    DatabaseServer server() {
        return EmbeddedPostgres.shared();
    }

    @Test
    void aTableWithoutTheIndexOfRetriesShowsTheSame() throws SQLException {
        OutboxTable table = OutboxTable.on(server());
        try (Connection conn = table.dataSource().getConnection();
                Statement statement = conn.createStatement()) {
            assertThat(table.application().flavor().indexesRetries(conn, "outbox_event"))
                    .isTrue();
            statement.execute("DROP INDEX outbox_event_retry");
            assertThat(table.application().flavor().indexesRetries(conn, "outbox_event"))
                    .isFalse();
        }
        String retry = table.retrying(event("A", "1").build(), "away");
        table.insert(event("A", "2").build());
        EventReader reader = new EventReader(table.application());
        assertThat(reader.counts())
                .containsEntry(EventState.RETRY, 1)
                .containsEntry(EventState.NEW, 1)
                .containsEntry(EventState.DEAD, 0);
        assertThat(reader.page(EventFilter.ALL.withStates(EventState.RETRY), true, null, 10)
                        .events())
                .extracting(EventSummary::id)
                .containsExactly(retry);
        assertThat(new ErrorGroups(table.application(), reader).read().groups())
                .singleElement()
                .satisfies(group -> assertThat(group.retrying()).isEqualTo(1));
    }
}
