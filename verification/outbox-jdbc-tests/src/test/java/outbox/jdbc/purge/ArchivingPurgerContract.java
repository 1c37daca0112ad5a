package outbox.jdbc.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import outbox.EventEnvelope;
import outbox.jdbc.JdbcTemplate;
import outbox.jdbc.archive.EventArchive;
import outbox.jdbc.store.AbstractJdbcOutboxStore;
import outbox.spi.EventPurger;
import outbox.spi.RetentionPurger;
import outbox.testing.server.DatabaseServer;
import outbox.util.Ulid;

/** The purger's contract with an archive in its way, and the purge by age beside it. */
abstract class ArchivingPurgerContract extends JdbcPurgerContract {
    @TempDir
    static Path directory;

    ArchivingPurgerContract(Supplier<DatabaseServer> server, AbstractJdbcOutboxStore store) {
        super(server, store);
    }

    @Override
    protected RetentionPurger purger() {
        return (RetentionPurger) store().archivingPurger(EventArchive.inFiles(directory));
    }

    private List<String> ids(Connection conn, String table) throws SQLException {
        return JdbcTemplate.query(
                conn,
                "SELECT event_id FROM " + table + " ORDER BY event_id",
                JdbcTemplate.Binder.NOTHING,
                row -> row.getString(1));
    }

    private static EventEnvelope at(Instant time) {
        return EventEnvelope.builder("Happened")
                .eventId(new Ulid(() -> time).generate())
                .occurredAt(time)
                .payloadJson("{\"a\":1}")
                .build();
    }

    @Test
    void rowsAreInTheArchiveTableWhenTheyAreGone() throws SQLException {
        EventEnvelope ended = at(Instant.now());
        EventEnvelope pending = at(Instant.now());
        try (Connection conn = connections().getConnection()) {
            store().archiveSchema("kept_event").apply(conn);
            try {
                store().insertBatch(conn, List.of(ended, pending));
                store().markDead(conn, ended.eventId(), "gone");
                EventPurger purger = store().archivingPurger(EventArchive.inTable("kept_event"));
                for (int again = 0; again < 2; again++) {
                    purger.purge(conn, Instant.now().plusSeconds(60), 10);
                    assertThat(ids(conn, store().tableName())).containsExactly(pending.eventId());
                    assertThat(ids(conn, "kept_event")).containsExactly(ended.eventId());
                }
            } finally {
                JdbcTemplate.update(conn, "DROP TABLE kept_event", JdbcTemplate.Binder.NOTHING);
            }
        }
    }

    @Test
    void whatCanNotBeArchivedStays() throws SQLException {
        EventEnvelope ended = at(Instant.now());
        try (Connection conn = connections().getConnection()) {
            store().insertNew(conn, ended);
            store().markDone(conn, ended.eventId());
            EventPurger purger = store().archivingPurger(EventArchive.inFiles(directory.resolve("not-mounted")));
            assertThatThrownBy(() -> purger.purge(conn, Instant.now().plusSeconds(60), 10))
                    .hasMessageContaining("they are kept in the table")
                    .hasMessageContaining("not-mounted");
            assertThat(ids(conn, store().tableName())).containsExactly(ended.eventId());
        }
    }

    @Test
    void byAgeRowsGoWhateverTheirStateAndId() throws SQLException {
        Instant now = Instant.now();
        Instant before = now.minus(Duration.ofDays(2));
        Instant old = before.minusSeconds(60);
        EventEnvelope oldOne = at(old);
        EventEnvelope youngOne = at(now);
        EventEnvelope low = EventEnvelope.builder("Happened")
                .eventId("00aa")
                .occurredAt(old)
                .payloadJson("{}")
                .build();
        EventEnvelope high = EventEnvelope.builder("Happened")
                .eventId("ffee")
                .occurredAt(old)
                .payloadJson("{}")
                .build();
        EventEnvelope lowYoung = EventEnvelope.builder("Happened")
                .eventId("00bb")
                .occurredAt(now)
                .payloadJson("{}")
                .build();
        EventEnvelope highYoung = EventEnvelope.builder("Happened")
                .eventId("ffff")
                .occurredAt(now)
                .payloadJson("{}")
                .build();
        EventPurger purger = store().agePurger();
        assertThat(purger.purgesUndelivered()).isTrue();
        try (Connection conn = connections().getConnection()) {
            store().insertBatch(conn, List.of(oldOne, youngOne, low, high, lowYoung, highYoung));
            assertThat(purger.purge(conn, before, 2)).isEqualTo(2);
            assertThat(purger.purge(conn, before, 2)).isEqualTo(1);
            assertThat(purger.purge(conn, before, 2)).isZero();
            assertThat(ids(conn, store().tableName())).containsExactly("00bb", youngOne.eventId(), "ffff");
        }
    }

    @Test
    void byAgeARetentionOfCenturiesMeansNever() throws SQLException {
        EventEnvelope event = at(Instant.now());
        try (Connection conn = connections().getConnection()) {
            store().insertNew(conn, event);
            assertThat(store().agePurger().purge(conn, Instant.now().minus(Duration.ofDays(365_000)), 10))
                    .isZero();
            assertThat(ids(conn, store().tableName())).containsExactly(event.eventId());
        }
    }
}
