package outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import outbox.jdbc.OutboxSchema;
import outbox.jdbc.store.JdbcOutboxStores;

class InboxSchemaTest {
    static OutboxSchema migration(String directory, String file) {
        return OutboxSchema.ofResource(
                DurableInbox.class, "/outbox/inbox/migration/" + directory + "/" + file + ".sql");
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void theMigrationsMakeTheTableThatTheStoreDescribes(String database) {
        var store = JdbcOutboxStores.get(database).withTable(DurableInbox.DEFAULT_TABLE);

        assertThat(migration(database, "V20261101000020__inbox_event").statements())
                .isEqualTo(store.schema().statements());
        assertThat(migration("ordered-" + database, "V20261101000021__inbox_event_seq")
                        .statements())
                .isEqualTo(store.orderedSchema().statements());
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql", "mysql", "mariadb"})
    void liquibaseRunsTheSameFiles(String database) {
        assertThat(OutboxSchema.ofResource(DurableInbox.class, "/outbox/inbox/liquibase/inbox-event.xml")
                        .ddl())
                .contains("dbms=\"" + database + "\"")
                .contains("outbox/inbox/migration/" + database + "/V20261101000020__inbox_event.sql");
        assertThat(OutboxSchema.ofResource(DurableInbox.class, "/outbox/inbox/liquibase/inbox-event-ordered.xml")
                        .ddl())
                .contains("outbox/inbox/migration/ordered-" + database + "/V20261101000021__inbox_event_seq.sql");
    }
}
