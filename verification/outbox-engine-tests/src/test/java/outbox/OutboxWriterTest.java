package outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import outbox.model.EventStatus;
import outbox.model.Lease;
import outbox.spi.TxContext;
import outbox.testing.InMemoryOutboxStore;
import outbox.testing.InMemoryTxContext;

/** The writer and its hook, without an engine. */
class OutboxWriterTest {
    private final InMemoryOutboxStore store = new InMemoryOutboxStore();
    private final InMemoryTxContext tx = store.txContext();
    private final List<String> calls = new ArrayList<>();

    /** Notes what it is called for, with the number of events. */
    private class Noting implements WriterHook {
        @Override
        public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
            calls.add("beforeWrite " + events.size());
            return events;
        }

        @Override
        public void afterWrite(List<EventEnvelope> events) {
            calls.add("afterWrite " + events.size());
        }

        @Override
        public void afterCommit(List<EventEnvelope> events) {
            calls.add("afterCommit " + events.size());
        }

        @Override
        public void afterRollback(List<EventEnvelope> events) {
            calls.add("afterRollback " + events.size());
        }
    }

    private static List<EventEnvelope> events(int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.ofJson("E", "{}"));
        }
        return events;
    }

    @Test
    void aBatchIsOneInsertAndOneCallOfEachKind() {
        OutboxWriter writer = new OutboxWriter(tx, store, new Noting());
        List<EventEnvelope> batch = events(3);
        List<String> ids = new ArrayList<>();
        tx.inTransaction(() -> ids.addAll(writer.writeAll(batch)));

        assertThat(ids).isEqualTo(batch.stream().map(EventEnvelope::eventId).toList());
        assertThat(calls).containsExactly("beforeWrite 3", "afterWrite 3", "afterCommit 3");
        assertThat(store.rows()).hasSize(3).allMatch(row -> row.status() == EventStatus.NEW);
    }

    @Test
    void oneCallbackOfEachKindIsRegisteredForABatch() {
        List<String> registered = new ArrayList<>();
        TxContext counting = new TxContext() {
            @Override
            public boolean isTransactionActive() {
                return tx.isTransactionActive();
            }

            @Override
            public Connection currentConnection() {
                return tx.currentConnection();
            }

            @Override
            public void afterCommit(Runnable callback) {
                registered.add("commit");
            }

            @Override
            public void afterRollback(Runnable callback) {
                registered.add("rollback");
            }
        };
        tx.inTransaction(() -> new OutboxWriter(counting, store, new Noting()).writeAll(events(5)));
        assertThat(registered).containsExactlyInAnyOrder("commit", "rollback");
    }

    @Test
    void aRollbackIsToldAndLeavesNothing() {
        OutboxWriter writer = new OutboxWriter(tx, store, new Noting());
        assertThatThrownBy(() -> tx.inTransaction(() -> {
                    writer.write("E", "{}");
                    throw new IllegalStateException("business");
                }))
                .hasMessage("business");
        assertThat(calls).contains("afterRollback 1").doesNotContain("afterCommit 1");
        assertThat(store.rows()).isEmpty();
    }

    @Test
    void aHookMaySuppressTheWriteByNullOrByAnEmptyList() {
        for (List<EventEnvelope> nothing : Arrays.asList(null, List.<EventEnvelope>of())) {
            OutboxWriter writer = new OutboxWriter(tx, store, new Noting() {
                @Override
                public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                    return nothing;
                }
            });
            tx.inTransaction(() -> {
                assertThat(writer.write("E", "{}")).isNull();
                assertThat(writer.write(StringEventType.of("E"), "{}")).isNull();
                assertThat(writer.write(EventEnvelope.ofJson("E", "{}"))).isNull();
                assertThat(writer.writeAll(events(2))).isEmpty();
            });
        }
        assertThat(store.rows()).isEmpty();
        assertThat(calls).isEmpty();
    }

    @Test
    void aHookMayReplaceWhatIsWritten() {
        OutboxWriter writer = new OutboxWriter(tx, store, new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                return events.stream()
                        .map(event -> event.toBuilder().tenantId("t1").build())
                        .toList();
            }
        });
        tx.inTransaction(() -> writer.write("E", "{}"));
        assertThat(store.rows())
                .singleElement()
                .matches(row -> "t1".equals(row.event().tenantId()));
    }

    @Test
    void whatAHookThrowsAfterwardsIsLoggedAndReachesNobody() {
        OutboxWriter writer = new OutboxWriter(tx, store, new WriterHook() {
            @Override
            public void afterWrite(List<EventEnvelope> events) {
                throw new IllegalStateException("after write");
            }

            @Override
            public void afterCommit(List<EventEnvelope> events) {
                throw new NoClassDefFoundError("after commit");
            }

            @Override
            public void afterRollback(List<EventEnvelope> events) {
                throw new IllegalStateException("after rollback");
            }
        });
        try (RecordedLogs logs = new RecordedLogs()) {
            tx.inTransaction(() -> writer.write("E", "{}"));
            assertThat(logs.of(OutboxWriter.class, Level.WARNING))
                    .hasSize(2)
                    .anyMatch(message -> message.contains("WriterHook.afterWrite"))
                    .anyMatch(message -> message.contains("WriterHook.afterCommit"));
        }
        try (RecordedLogs logs = new RecordedLogs()) {
            assertThatThrownBy(() -> tx.inTransaction(() -> {
                        writer.write("E", "{}");
                        throw new UnsupportedOperationException("the business fails");
                    }))
                    .hasMessage("the business fails")
                    .hasNoSuppressedExceptions();
            assertThat(logs.of(OutboxWriter.class, Level.WARNING))
                    .anyMatch(message -> message.contains("WriterHook.afterRollback"));
        }
        assertThat(store.count(EventStatus.NEW)).isEqualTo(1);
    }

    @Test
    void whatAHookThrowsBeforehandReachesTheCallerAndNothingIsWritten() {
        OutboxWriter writer = new OutboxWriter(tx, store, new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                throw new IllegalArgumentException("not allowed");
            }
        });
        assertThatThrownBy(() -> tx.inTransaction(() -> writer.write("E", "{}")))
                .hasMessage("not allowed");
        assertThat(store.rows()).isEmpty();
    }

    @Test
    void withoutAHookTheRowJustWaits() {
        OutboxWriter writer = new OutboxWriter(tx, store);
        tx.inTransaction(() -> writer.write("E", "{}"));
        assertThat(store.rows())
                .singleElement()
                .matches(row -> row.status() == EventStatus.NEW && row.lockedBy() == null);
    }

    @Test
    void aHookHasTheFourMethodsOfTheSpecification() {
        assertThat(WriterHook.class.getDeclaredMethods())
                .extracting(method -> method.getName() + List.of(method.getParameterTypes()))
                .containsExactlyInAnyOrder(
                        "beforeWrite[interface java.util.List]",
                        "afterWrite[interface java.util.List]",
                        "afterCommit[interface java.util.List]",
                        "afterRollback[interface java.util.List]");
    }

    /** Owns rows from their insert on. */
    private class Leasing extends Noting implements LeasedWriterHook {
        final List<EventEnvelope> committed = new ArrayList<>();
        boolean inTime = true;

        @Override
        public Lease lease() {
            return new Lease("node", 0);
        }

        @Override
        public boolean isInTime(Lease lease) {
            return inTime;
        }

        @Override
        public void afterRelease(List<EventEnvelope> events) {}

        @Override
        public void afterCommit(List<EventEnvelope> events, Lease lease) {
            committed.addAll(events);
        }
    }

    @Test
    void anEventThatWasJustWrittenIsKnownToBeDeliveredForTheFirstTimeOnce() {
        Leasing hook = new Leasing();
        OutboxWriter writer = new OutboxWriter(tx, store, hook);
        List<EventEnvelope> batch = events(2);
        tx.inTransaction(() -> writer.writeAll(batch));

        assertThat(batch).as("not yet committed").noneMatch(EventEnvelope::takeFirstDelivery);
        assertThat(hook.committed).isEqualTo(batch).allMatch(EventEnvelope::takeFirstDelivery);
        assertThat(hook.committed).as("a second delivery").noneMatch(EventEnvelope::takeFirstDelivery);
    }

    /** Another node may have delivered it since, and released it. */
    @Test
    void anEventWhoseFirstLeaseIsNotYoungAnyMoreIsNotKnownToBeDeliveredForTheFirstTime() {
        Leasing hook = new Leasing();
        OutboxWriter writer = new OutboxWriter(tx, store, hook);
        tx.inTransaction(() -> writer.writeAll(events(1)));

        hook.inTime = false;

        assertThat(hook.committed).noneMatch(EventEnvelope::takeFirstDelivery);
    }

    @Test
    void anEventThatNobodyLeasedIsNotKnownToBeDeliveredForTheFirstTime() {
        List<EventEnvelope> committed = new ArrayList<>();
        OutboxWriter writer = new OutboxWriter(tx, store, new Noting() {
            @Override
            public void afterCommit(List<EventEnvelope> events) {
                committed.addAll(events);
            }
        });
        tx.inTransaction(() -> writer.writeAll(events(1)));

        assertThat(committed).hasSize(1).noneMatch(EventEnvelope::takeFirstDelivery);
    }

    @Test
    void aCopyOfAnEventIsNotKnownToBeDeliveredForTheFirstTime() {
        Leasing hook = new Leasing();
        OutboxWriter writer = new OutboxWriter(tx, store, hook);
        tx.inTransaction(() -> writer.writeAll(events(1)));

        EventEnvelope written = hook.committed.get(0);
        assertThat(written.toBuilder().build().takeFirstDelivery()).isFalse();
        assertThat(written.atAttempt(2).takeFirstDelivery()).isFalse();
    }
}
