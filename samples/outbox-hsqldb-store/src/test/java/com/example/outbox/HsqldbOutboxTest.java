package com.example.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.Outbox;
import outbox.jdbc.OutboxSchemaException;
import outbox.jdbc.store.JdbcOutbox;
import outbox.jdbc.store.JdbcOutboxStores;
import outbox.jdbc.tx.ThreadLocalTxContext;
import outbox.model.EventStatus;
import outbox.registry.DefaultListenerRegistry;
import outbox.spi.ClaimRequest;

/** The store in an outbox: found by its URL, and delivering. */
class HsqldbOutboxTest {
    @Test
    void theStoreIsFoundByTheUrlOfItsDatabase() throws Exception {
        try (HsqldbTable table = new HsqldbTable()) {
            assertThat(JdbcOutboxStores.detect(table.dataSource())).isInstanceOf(HsqldbOutboxStore.class);
            assertThat(JdbcOutboxStores.get("hsqldb")).isInstanceOf(HsqldbOutboxStore.class);
        }
    }

    @Test
    void aMissingTableIsNamedWithTheFileThatCreatesIt() throws Exception {
        try (HsqldbTable table = new HsqldbTable();
                Connection conn = table.dataSource().getConnection()) {
            assertThat(JdbcOutboxStores.hasTable(conn, "outbox_event")).isTrue();
            assertThat(JdbcOutboxStores.hasTable(conn, "not_there")).isFalse();
            assertThatThrownBy(() -> table.store().withTable("not_there").verifySchema(conn))
                    .isInstanceOf(OutboxSchemaException.class)
                    .hasMessageContaining("not_there")
                    .hasMessageContaining("outbox/schema/hsqldb.sql");
        }
    }

    @Test
    void aStoreWithoutOrderedClaimsSaysSo() throws Exception {
        try (HsqldbTable table = new HsqldbTable();
                Connection conn = table.dataSource().getConnection()) {
            ClaimRequest request = new ClaimRequest("a", Duration.ofMinutes(1), Duration.ZERO, 1);
            assertThatThrownBy(() -> table.store().claimOrdered(conn, request))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("HsqldbOutboxStore");
        }
    }

    /** Written by one outbox that does not deliver, claimed and settled by another. */
    @Test
    void anEventIsWrittenClaimedDeliveredAndSettled() throws Exception {
        List<String> delivered = new CopyOnWriteArrayList<>();
        try (HsqldbTable table = new HsqldbTable()) {
            EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");
            try (Connection conn = table.dataSource().getConnection()) {
                table.store().insertNew(conn, event);
            }
            try (Outbox outbox = JdbcOutbox.multiNode(table.dataSource())
                    .transactions(new ThreadLocalTxContext())
                    .listeners(new DefaultListenerRegistry()
                            .register("OrderPlaced", received -> delivered.add(received.eventId())))
                    .build()
                    .start()) {
                await().untilAsserted(() -> {
                    try (Connection conn = table.dataSource().getConnection()) {
                        assertThat(HsqldbTable.read(conn, event.eventId()).status())
                                .isEqualTo(EventStatus.DONE);
                    }
                });
            }
            assertThat(delivered).containsExactly(event.eventId());
        }
    }
}
