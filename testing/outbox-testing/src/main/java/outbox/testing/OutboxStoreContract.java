package outbox.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.OutboxEvent;
import outbox.spi.DuplicateEventException;
import outbox.spi.OutboxStore;
import outbox.spi.StoredPayload;
import outbox.util.JsonCodec;

/**
 * Contract tests for every {@link OutboxStore}. Extend it for your own store:
 *
 * <pre>{@code
 * class MyStoreTest extends OutboxStoreContract {
 *     protected OutboxStore openStore() { … create or empty the table …; return new MyStore(); }
 *     protected ConnectionProvider connections() { return dataSource::getConnection; }
 *     protected StoredRow read(Connection conn, String id) { return StoredRow.read(conn, "outbox_event", id); }
 *     protected void writeHeaders(Connection conn, String id, String json) { … UPDATE … }
 * }
 * }</pre>
 */
public abstract class OutboxStoreContract extends StoreContract {
    /** Overwrites the column {@code headers} with this JSON text. */
    protected abstract void writeHeaders(Connection conn, String eventId, String json) throws SQLException;

    @Test
    void insertedEventIsPolledWithAllItsFields() throws Exception {
        EventEnvelope event = EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId("42")
                .tenantId("acme")
                .occurredAt(Instant.parse("2026-03-29T01:30:00.123456789Z"))
                .headers(Map.of("trace", "abc", "quoted", "a \"b\" \\ c\n\u00fc\u4f60\ud83d\ude00"))
                .payloadJson("{\"text\":\"\u00fc \u4f60 \ud83d\ude00 \\\\ \\\" \\n\"}")
                .build();
        insert(event);

        OutboxEvent row = only(poll(later()));
        assertEquals(event.eventId(), row.eventId());
        assertEquals("OrderPlaced", row.eventType());
        assertEquals("Order", row.aggregateType());
        assertEquals("42", row.aggregateId());
        assertEquals("acme", row.tenantId());
        assertEquals(event.payloadJson(), compact(row.payloadJson()));
        assertEquals(event.headers(), JsonCodec.getDefault().parseObject(row.headersJson()));
        assertEquals(0, row.attempts());
        assertEquals(Instant.parse("2026-03-29T01:30:00.123456Z"), row.createdAt(), "cut to microseconds");
        assertEquals(new StoredRow(EventStatus.NEW, 0, null, null, false, false), row(event));
    }

    @Test
    void fieldsThatWereNotSetAreNull() throws Exception {
        insert(event());

        OutboxEvent row = only(poll(later()));
        assertEquals("__GLOBAL__", row.aggregateType());
        assertNull(row.aggregateId());
        assertNull(row.tenantId());
        assertTrue(JsonCodec.getDefault().parseObject(row.headersJson()).isEmpty());
    }

    @Test
    void bytesComeBackAsBytes() throws Exception {
        byte[] payload = new byte[300];
        IntStream.range(0, payload.length).forEach(i -> payload[i] = (byte) i);
        insert(EventEnvelope.builder("Uploaded").payloadBytes(payload).build());

        assertArrayEquals(payload, StoredPayload.bytesOf(only(poll(later())).payloadJson()));
    }

    @Test
    void anyJsonValueIsAPayload() throws Exception {
        for (String json : List.of("null", "true", "17", "\"text\"", "[]", "{}")) {
            EventEnvelope event = EventEnvelope.ofJson("Value", json);
            insert(event);
            assertEquals(json, only(poll(later())).payloadJson().strip());
            run(conn -> store().markDone(conn, event.eventId()));
        }
    }

    @Test
    void oddJsonIsStored() throws Exception {
        List<String> odd = List.of(
                "[".repeat(31) + "]".repeat(31),
                "[-0, 1e308, 1e-400, 1E+5, 0." + "1".repeat(1000) + ", " + "9".repeat(308) + "]",
                "\"\\ud83d\\ude00 \\/ \\b\\f\\n\\r\\t \u007f \u2028 \uffff\"",
                "{\"\":1,\"a\":1,\"a\":2,\"" + "k".repeat(65_535) + "\":null}",
                " \n\r\t{ \"a\" : [ true , false ] } ");
        for (String json : odd) {
            insert(EventEnvelope.ofJson("Odd", json));
        }
        assertEquals(odd.size(), poll(later()).size());
    }

    /**
     * What one database rejects is rejected by every store before its statement, so that tests on one are valid for
     * all.
     */
    @Test
    void jsonThatADatabaseWouldRefuseIsRefusedByNameAndOffset() throws Exception {
        Map<String, Integer> refused = new LinkedHashMap<>();
        refused.put("{\"password\":hunter2", 12);
        refused.put("{\"a\":\"b\0c\"}", 7);
        refused.put("{}\0", 2);
        refused.put("\"a\\u0000\"", 2);
        refused.put("[\"\\ud83d\"]", 2);
        refused.put("[\"\\udc00\"]", 2);
        refused.put("[\"\\ud83dx\"]", 2);
        refused.put("\"a\tb\"", 2);
        refused.put("[".repeat(32) + "]".repeat(32), 31);
        refused.put("[1e309]", 1);
        refused.put("[0e400]", 1);
        refused.put("[" + "9".repeat(309) + "]", 1);
        refused.put("[1e-16384]", 1);
        refused.put("{\"" + "k".repeat(65_536) + "\":1}", 1);
        refused.put("\ufeff{}", 0);
        refused.put("01", 1);
        refused.put("[1,]", 3);
        refused.put("\"\\x\"", 1);
        refused.put("1.", 2);
        refused.put("NaN", 0);
        refused.put("{} x", 3);
        refused.put("", 0);
        for (Map.Entry<String, Integer> json : refused.entrySet()) {
            EventEnvelope bad = EventEnvelope.ofJson("Bad", json.getKey());
            assertRefused(bad, "payload", json.getValue());
        }
        EventEnvelope nul = EventEnvelope.builder("Bad")
                .header("trace", "ab\0c")
                .payloadJson("{}")
                .build();
        assertRefused(nul, "trace", 2);
        assertEquals(List.of(), poll(later()));
    }

    private void assertRefused(EventEnvelope bad, String field, int offset) {
        for (List<EventEnvelope> batch : List.of(List.of(bad), List.of(event(), event(), bad, event()))) {
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> insert(batch.toArray(EventEnvelope[]::new)));
            assertTrue(message(refusal).contains("Bad " + bad.eventId()), message(refusal));
            assertTrue(message(refusal).contains(field), message(refusal));
            assertTrue(
                    message(refusal).endsWith("offset " + offset)
                            || message(refusal).contains("offset " + offset + ","),
                    message(refusal));
            assertFalse(message(refusal).contains("hunter2"), message(refusal));
        }
    }

    @Test
    void headersBeyondTheLimitAreRefused() throws Exception {
        EventEnvelope event = EventEnvelope.builder("Bad")
                .header("large", "\u4f60".repeat(StoredPayload.MAX_HEADERS_BYTES / 3))
                .payloadJson("{}")
                .build();
        IllegalArgumentException refusal = assertThrows(IllegalArgumentException.class, () -> insert(event));
        assertTrue(message(refusal).contains(event.eventId()), message(refusal));
        assertTrue(message(refusal).contains(String.valueOf(StoredPayload.MAX_HEADERS_BYTES)), message(refusal));
    }

    @Test
    void payloadOfTheLargestSizeIsStored() throws Exception {
        String json = "\"" + "x".repeat(EventEnvelope.MAX_PAYLOAD_BYTES - 2) + "\"";
        insert(EventEnvelope.ofJson("Large", json), EventEnvelope.ofJson("Large", json));

        assertEquals(
                List.of(json, json),
                poll(later()).stream().map(OutboxEvent::payloadJson).toList());
    }

    @Test
    void rolledBackEventsAreNotThere() throws Exception {
        EventEnvelope event = event();
        assertThrows(
                IllegalStateException.class,
                () -> run(conn -> {
                    store().insertBatch(conn, List.of(event, event()));
                    throw new IllegalStateException("business failure");
                }));

        assertEquals(List.of(), poll(later()));
        assertTrue(find(event.eventId()).isEmpty());
    }

    @Test
    void connectionsAreLeftOpen() throws Exception {
        try (Connection conn = connections().getConnection()) {
            EventEnvelope event = event();
            store().insertNew(conn, event);
            store().pollPending(conn, later(), NONE, 10);
            store().claimPending(conn, "a", later(), later(), NONE, 10);
            store().markDone(conn, event.eventId());
            assertFalse(conn.isClosed());
            assertTrue(conn.getAutoCommit(), "autocommit is as it was");
        }
    }

    @Test
    void anEmptyBatchDoesNothing() throws Exception {
        insert();
        assertEquals(List.of(), poll(later()));
    }

    @Test
    void batchOfOneIsInserted() throws Exception {
        assertBatchIsInserted(1);
    }

    @Test
    void batchOfTwoIsInserted() throws Exception {
        assertBatchIsInserted(2);
    }

    @Test
    void batchOf500IsInserted() throws Exception {
        assertBatchIsInserted(500);
    }

    @Test
    void batchOf2500IsInserted() throws Exception {
        assertBatchIsInserted(2500);
    }

    private void assertBatchIsInserted(int size) throws Exception {
        List<EventEnvelope> events =
                IntStream.range(0, size).mapToObj(i -> event()).toList();
        run(conn -> {
            store().insertBatch(conn, events);
            return size;
        });
        assertEquals(ids(events), Set.copyOf(polledIds(poll(later(), size + 1))));
    }

    @Test
    void aBatchWithADuplicateIdIsRefusedAsAWhole() throws Exception {
        EventEnvelope existing = event();
        insert(existing);
        List<EventEnvelope> batch =
                new ArrayList<>(IntStream.range(0, 700).mapToObj(i -> event()).toList());
        batch.set(
                650,
                EventEnvelope.builder("Again")
                        .eventId(existing.eventId())
                        .payloadJson("{}")
                        .build());

        DuplicateEventException refusal =
                assertThrows(DuplicateEventException.class, () -> insert(batch.toArray(EventEnvelope[]::new)));
        assertTrue(message(refusal).contains(existing.eventId()), message(refusal));
        assertEquals(List.of(existing.eventId()), polledIds(poll(later())));
    }

    @Test
    void aDuplicateIdIsRefusedByName() throws Exception {
        EventEnvelope event = event();
        insert(event);

        DuplicateEventException refusal = assertThrows(
                DuplicateEventException.class,
                () -> run(conn -> {
                    store().insertNew(conn, event);
                    return 0;
                }));
        assertTrue(message(refusal).contains(event.eventId()), message(refusal));
        DuplicateEventException twins = assertThrows(DuplicateEventException.class, () -> {
            EventEnvelope twin = event();
            insert(event(), twin, twin);
        });
        assertTrue(message(twins).contains("event id"), message(twins));
    }

    @Test
    void pollReturnsTheOldestFirstUpToItsLimit() throws Exception {
        Instant base = Instant.parse("2026-01-01T00:00:00Z");
        EventEnvelope third = eventAt(base.plusSeconds(3));
        EventEnvelope first = eventAt(base.plusSeconds(1));
        EventEnvelope second = eventAt(base.plusSeconds(2));
        insert(third, first, second);

        assertEquals(List.of(first.eventId(), second.eventId(), third.eventId()), polledIds(poll(later())));
        assertEquals(List.of(first.eventId(), second.eventId()), polledIds(poll(later(), 2)));
    }

    @Test
    void pollGoesByTheTimeItIsGiven() throws Exception {
        insert(event());
        assertEquals(List.of(), poll(Instant.now().minus(Duration.ofHours(1))));
        assertEquals(1, poll(later()).size());
    }

    @Test
    void pollLeavesOutWhatIsRecent() throws Exception {
        Instant now = later();
        EventEnvelope old = eventAt(now.minusSeconds(10));
        insert(old, eventAt(now.minusSeconds(9).plusMillis(1)));

        List<OutboxEvent> polled = run(conn -> store().pollPending(conn, now, Duration.ofSeconds(9), 10));
        assertEquals(List.of(old.eventId()), polledIds(polled));
    }

    @Test
    void aDelayedEventIsNotDueBeforeItsTime() throws Exception {
        Instant time = Instant.now().plus(Duration.ofHours(2)).truncatedTo(ChronoUnit.MILLIS);
        EventEnvelope at =
                EventEnvelope.builder("At").availableAt(time).payloadJson("{}").build();
        EventEnvelope after = EventEnvelope.builder("After")
                .deliverAfter(Duration.ofHours(6))
                .payloadJson("{}")
                .build();
        insert(event());
        insert(event(), at, after);

        assertEquals(2, poll(time.minusMillis(1)).size());
        assertEquals(3, poll(time).size());
        assertEquals(3, poll(Instant.now().plus(Duration.ofHours(5))).size());
        assertEquals(4, poll(Instant.now().plus(Duration.ofHours(7))).size());
    }

    @Test
    void aDelayBeyondAllDatesIsNotDueInOurTime() throws Exception {
        for (Duration delay : List.of(
                Duration.ofDays(106_752), Duration.ofDays(400_000), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999))) {
            insert(EventEnvelope.builder("Far")
                    .deliverAfter(delay)
                    .payloadJson("{}")
                    .build());
        }
        assertEquals(List.of(), poll(Instant.now().plus(Duration.ofDays(90_000))));
    }

    @Test
    void doneIsMarkedOnceAndForGood() throws Exception {
        EventEnvelope event = event();
        insert(event);
        claim("a", later(), Instant.EPOCH);

        assertEquals(1, (int) run(conn -> store().markDone(conn, event.eventId())));
        assertEquals(new StoredRow(EventStatus.DONE, 0, null, null, false, true), row(event));
        assertEquals(0, (int) run(conn -> store().markDone(conn, event.eventId())));
        assertEquals(0, (int) run(conn -> store().markRetry(conn, event.eventId(), later(), "late")));
        assertEquals(0, (int) run(conn -> store().markDead(conn, event.eventId(), "late")));
        assertEquals(new StoredRow(EventStatus.DONE, 0, null, null, false, true), row(event));
        assertEquals(List.of(), poll(later()));
    }

    @Test
    void retryCountsAnAttemptAndSetsItsTime() throws Exception {
        EventEnvelope event = event();
        insert(event);
        claim("a", later(), Instant.EPOCH);
        Instant next = Instant.now().plus(Duration.ofHours(1)).truncatedTo(ChronoUnit.MILLIS);

        assertEquals(1, (int) run(conn -> store().markRetry(conn, event.eventId(), next, "timeout")));
        assertEquals(new StoredRow(EventStatus.RETRY, 1, "timeout", null, false, false), row(event));
        assertEquals(List.of(), poll(next.minusMillis(1)));
        assertEquals(1, only(poll(next)).attempts());
        run(conn -> store().markRetry(conn, event.eventId(), next, null));
        assertEquals(new StoredRow(EventStatus.RETRY, 2, null, null, false, false), row(event));
    }

    @Test
    void deadDoesNotCountAnAttempt() throws Exception {
        EventEnvelope event = event();
        insert(event);
        claim("a", later(), Instant.EPOCH);

        assertEquals(1, (int) run(conn -> store().markDead(conn, event.eventId(), "poison")));
        assertEquals(new StoredRow(EventStatus.DEAD, 0, "poison", null, false, false), row(event));
        assertEquals(List.of(), poll(later()));
    }

    @Test
    void marksOnUnknownIdsChangeNothing() throws Exception {
        assertEquals(0, (int) run(conn -> store().markDone(conn, "nobody")));
        assertEquals(0, (int) run(conn -> store().markRetry(conn, "nobody", later(), "x")));
        assertEquals(0, (int) run(conn -> store().markDead(conn, "nobody", "x")));
    }

    @Test
    void errorsAreCutTo4000Characters() throws Exception {
        EventEnvelope event = event();
        insert(event);
        run(conn -> store().markRetry(conn, event.eventId(), later(), "\u00fc".repeat(5000)));
        assertEquals("\u00fc".repeat(4000), row(event).lastError());
        run(conn -> store().markDead(conn, event.eventId(), "e".repeat(4001)));
        assertEquals("e".repeat(4000), row(event).lastError());
    }

    @Test
    void anyTextIsAnError() throws Exception {
        EventEnvelope event = event();
        insert(event);
        run(conn -> store().markDead(conn, event.eventId(), "a\u0000b\ud800c\udc00d\ud83d\ude00"));
        assertEquals("abcd\ud83d\ude00", row(event).lastError());
    }

    @Test
    void aClaimedRowIsNotClaimedAgainBeforeItsLockIsOver() throws Exception {
        EventEnvelope event = event();
        insert(event);
        Instant claimed = later().truncatedTo(ChronoUnit.MILLIS);

        assertEquals(List.of(event.eventId()), polledIds(claim("a", claimed, claimed.minusSeconds(60))));
        assertEquals("a", row(event).lockedBy());
        assertTrue(row(event).locked());
        assertEquals(List.of(), claim("b", claimed.plusSeconds(59), claimed.minusSeconds(1)));
        assertEquals(List.of(), claim("a", claimed.plusSeconds(59), claimed.minusSeconds(1)));
        assertEquals(List.of(), claim("b", claimed.plusSeconds(60), claimed), "its time is up, not over");
        assertEquals(List.of(event.eventId()), polledIds(claim("b", claimed.plusSeconds(61), claimed.plusSeconds(1))));
        assertEquals("b", row(event).lockedBy());
    }

    @Test
    void aClaimReturnsOnlyWhatItTookItself() throws Exception {
        insert(event(), event(), event(), event(), event());
        Instant now = later();

        List<OutboxEvent> first = run(conn -> store().claimPending(conn, "a", now, now.minusSeconds(9), NONE, 2));
        List<OutboxEvent> second = run(conn -> store().claimPending(conn, "a", now, now.minusSeconds(9), NONE, 9));
        assertEquals(2, first.size());
        assertEquals(3, second.size());
        assertTrue(polledIds(second).stream().noneMatch(polledIds(first)::contains));
    }

    @Test
    void aClaimTakesTheOldestDueRows() throws Exception {
        Instant now = later();
        EventEnvelope second = eventAt(now.minusSeconds(20));
        EventEnvelope first = eventAt(now.minusSeconds(30));
        EventEnvelope recent = eventAt(now.minusSeconds(5));
        EventEnvelope delayed = EventEnvelope.builder("Later")
                .occurredAt(now.minusSeconds(40))
                .availableAt(now.plusSeconds(1))
                .payloadJson("{}")
                .build();
        insert(second, recent, first, delayed);

        List<OutboxEvent> claimed =
                run(conn -> store().claimPending(conn, "a", now, now.minusSeconds(60), Duration.ofSeconds(10), 10));
        assertEquals(List.of(first.eventId(), second.eventId()), polledIds(claimed));
    }

    @Test
    void concurrentClaimsOfTheSpecificationAreDisjointAndComplete() throws Exception {
        List<EventEnvelope> events =
                IntStream.range(0, 1000).mapToObj(i -> event()).toList();
        insert(events.toArray(EventEnvelope[]::new));
        Instant now = later();
        List<List<String>> claimed = ConcurrentClaims.run(4, node -> {
            List<String> all = new ArrayList<>();
            List<OutboxEvent> batch;
            do {
                // In autocommit mode, as a poller would without a transaction of its own.
                try (Connection conn = connections().getConnection()) {
                    batch = store().claimPending(conn, node, now, now.minusSeconds(60), NONE, 50);
                }
                all.addAll(polledIds(batch));
            } while (!batch.isEmpty());
            return all;
        });
        List<String> all = claimed.stream().flatMap(List::stream).toList();
        assertEquals(ids(events), Set.copyOf(all));
        assertEquals(events.size(), all.size(), "each row once");
    }

    @Test
    void deadRowsAreFoundByTypeOldestFirst() throws Exception {
        Instant base = Instant.parse("2026-01-01T00:00:00Z");
        EventEnvelope newer = EventEnvelope.builder("A")
                .aggregateType("X")
                .occurredAt(base.plusSeconds(2))
                .payloadJson("{}")
                .build();
        EventEnvelope older = EventEnvelope.builder("A")
                .aggregateType("Y")
                .occurredAt(base.plusSeconds(1))
                .payloadJson("{}")
                .build();
        EventEnvelope other = EventEnvelope.builder("B")
                .aggregateType("X")
                .occurredAt(base.plusSeconds(3))
                .payloadJson("{}")
                .build();
        insert(newer, older, other, event());
        for (EventEnvelope event : List.of(newer, older, other)) {
            run(conn -> store().markDead(conn, event.eventId(), "dead"));
        }

        assertEquals(List.of(older.eventId(), newer.eventId(), other.eventId()), dead(null, null, 10));
        assertEquals(List.of(older.eventId()), dead(null, null, 1));
        assertEquals(List.of(older.eventId(), newer.eventId()), dead("A", null, 10));
        assertEquals(List.of(newer.eventId(), other.eventId()), dead(null, "X", 10));
        assertEquals(List.of(newer.eventId()), dead("A", "X", 10));
        assertEquals(List.of(), dead("C", null, 10));
        assertEquals(3, (int) run(conn -> store().countDead(conn, null)));
        assertEquals(2, (int) run(conn -> store().countDead(conn, "A")));
        assertEquals(0, (int) run(conn -> store().countDead(conn, "C")));
    }

    @Test
    void aReplayedRowStartsAnew() throws Exception {
        EventEnvelope event = event();
        insert(event);
        run(conn -> store().markRetry(conn, event.eventId(), later(), "first"));
        run(conn -> store().markDead(conn, event.eventId(), "gave up"));

        assertEquals(1, (int) run(conn -> store().replayDead(conn, event.eventId())));
        StoredRow replayed = row(event);
        assertEquals(EventStatus.NEW, replayed.status());
        assertEquals(0, replayed.attempts());
        assertNull(replayed.lockedBy());
        assertFalse(replayed.locked() || replayed.done());
        assertEquals(List.of(event.eventId()), polledIds(poll(later())), "due at once");
        assertEquals(0, (int) run(conn -> store().countDead(conn, null)));
    }

    @Test
    void onlyDeadRowsAreReplayed() throws Exception {
        EventEnvelope pending = event();
        EventEnvelope done = event();
        insert(pending, done);
        run(conn -> store().markDone(conn, done.eventId()));

        assertEquals(0, (int) run(conn -> store().replayDead(conn, pending.eventId())));
        assertEquals(0, (int) run(conn -> store().replayDead(conn, done.eventId())));
        assertEquals(0, (int) run(conn -> store().replayDead(conn, "nobody")));
        assertEquals(EventStatus.DONE, row(done).status());
    }

    @Test
    void headersThatCanNotBeDecodedAreReadAsTheyAre() throws Exception {
        EventEnvelope broken = event();
        EventEnvelope sound = event();
        insert(broken, sound);
        run(conn -> {
            writeHeaders(conn, broken.eventId(), "[1,{\"nested\":true}]");
            return 0;
        });

        List<OutboxEvent> rows = poll(later());
        assertEquals(2, rows.size(), "one broken row does not hide the others");
        OutboxEvent row = rows.stream()
                .filter(candidate -> candidate.eventId().equals(broken.eventId()))
                .findFirst()
                .orElseThrow();
        assertEquals("[1,{\"nested\":true}]", compact(String.valueOf(row.headersJson())));
    }
}
