package outbox.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.model.EventStatus;
import outbox.model.FormerLease;
import outbox.model.OutboxEvent;
import outbox.spi.ClaimRequest;
import outbox.spi.DuplicateEventException;
import outbox.spi.LeasingOutboxStore;
import outbox.spi.Settlement;
import outbox.util.JsonCodec;

/**
 * Contract tests for every {@link LeasingOutboxStore}, in addition to {@link OutboxStoreContract}: leases by the
 * database's clock, fencing, batched outcomes.
 */
public abstract class LeasingOutboxStoreContract extends OutboxStoreContract {
    static final Duration LONG = Duration.ofMinutes(10);
    /** Short enough to wait for. A busy machine may well take longer between two statements: see {@link Since}. */
    static final Duration SHORT = Duration.ofMillis(300);

    /** When something was about to start that must not be over before {@link #SHORT} has passed. */
    private record Since(long nanos) {
        static Since now() {
            return new Since(System.nanoTime());
        }

        /**
         * Rows that were claimed too early: none may be. Nothing is known if the claim itself came late. The store goes by
         * another clock, which may run a little faster while it is being set.
         */
        void assertNoneClaimed(List<String> claimed) {
            if (System.nanoTime() - nanos < SHORT.toNanos() * 9 / 10) {
                assertEquals(List.of(), claimed);
            }
        }
    }

    @Override
    protected abstract LeasingOutboxStore openStore() throws Exception;

    @Test
    void rowsBornLeasedAreNotClaimedByOthers() throws Exception {
        EventEnvelope event = event();
        insertLeased("a", event);

        assertEquals(new StoredRow(EventStatus.NEW, 0, null, "a", true, false), row(event));
        assertEquals(List.of(), claim("b", LONG, 10));
        assertEquals(List.of(), claim("a", LONG, 10), "not even by their owner");
    }

    @Test
    void delayedEventsAreBornFree() throws Exception {
        EventEnvelope at = EventEnvelope.builder("At")
                .availableAt(Instant.now().plus(Duration.ofHours(1)))
                .payloadJson("{}")
                .build();
        EventEnvelope after = EventEnvelope.builder("After")
                .deliverAfter(Duration.ofHours(1))
                .payloadJson("{}")
                .build();
        EventEnvelope prompt = event();
        insertLeased("a", at, prompt, after);

        assertNull(row(at).lockedBy());
        assertNull(row(after).lockedBy());
        assertEquals("a", row(prompt).lockedBy());
        assertEquals(List.of(), claim("b", LONG, 10));
    }

    @Test
    void aDelayedEventIsClaimedWhenItsTimeHasCome() throws Exception {
        EventEnvelope event = EventEnvelope.builder("Soon")
                .deliverAfter(SHORT)
                .payloadJson("{}")
                .build();
        Since insert = Since.now();
        insertLeased("a", event);
        assertClaimedOnlyThen(insert, LONG, event);
    }

    @Test
    void aLeaseIsCountedFromTheInsertNotFromTheStartOfItsTransaction() throws Exception {
        EventEnvelope event = event();
        Since insert = run(conn -> {
            leasing().oldestPendingAge(conn); // the transaction has started
            Instant written = Instant.now().plus(SHORT);
            Await.until(
                    Await.DEFAULT_TIMEOUT,
                    () -> "time passes",
                    () -> Instant.now().isAfter(written));
            Since now = Since.now();
            leasing().insertLeased(conn, List.of(event), "a");
            return now;
        });
        insert.assertNoneClaimed(claim("b", SHORT, 10));
    }

    @Test
    void aBatchOfLeasedRowsIsRefusedAsAWhole() throws Exception {
        EventEnvelope existing = event();
        insertLeased("a", existing);
        assertThrows(DuplicateEventException.class, () -> insertLeased("a", event(), existing));
        assertEquals(1, (int) run(conn -> leasing().expireOthers(conn, "nobody")));
    }

    @Test
    void claimsLeaseTheRowsThatAreDueFirst() throws Exception {
        EventEnvelope third = due(Duration.ofMinutes(1));
        EventEnvelope first = due(Duration.ofMinutes(3));
        EventEnvelope second = due(Duration.ofMinutes(2));
        insert(third, first, second);

        assertEquals(List.of(first.eventId(), second.eventId()), claim("a", LONG, 2));
        assertEquals("a", row(first).lockedBy());
        assertTrue(row(first).locked());
        assertNull(row(third).lockedBy());
        assertEquals(List.of(third.eventId()), claim("b", LONG, 2));
        assertEquals(List.of(), claim("c", LONG, 2));
    }

    @Test
    void claimsOfAllSizesAreComplete() throws Exception {
        insert(IntStream.range(0, 3003).mapToObj(i -> event()).toArray(EventEnvelope[]::new));
        assertEquals(1, claim("a", LONG, 1).size());
        assertEquals(2, claim("a", LONG, 2).size());
        assertEquals(500, claim("a", LONG, 500).size());
        assertEquals(2500, claim("a", LONG, 2500).size());
        assertEquals(List.of(), claim("a", LONG, 2500));
    }

    @Test
    void aClaimIsBoundedByBytes() throws Exception {
        List<EventEnvelope> events = IntStream.range(0, 20)
                .mapToObj(i -> EventEnvelope.ofJson("Large", "\"" + i + "\u4f60".repeat(33_333) + "\""))
                .toList();
        insert(events.toArray(EventEnvelope[]::new));
        Map<String, String> claimed = new HashMap<>();
        int claims = 0;
        for (List<OutboxEvent> rows = claimBytes("a", 250_000); !rows.isEmpty(); rows = claimBytes("a", 250_000)) {
            claims++;
            assertTrue(rows.size() <= 3, "100 KB each, and the one that reaches 250 KB is the last: " + rows.size());
            rows.forEach(row -> claimed.put(row.eventId(), row.payloadJson()));
            long leased = 0;
            for (EventEnvelope event : events) {
                leased += row(event).lockedBy() == null ? 0 : 1;
            }
            assertEquals(claimed.size(), leased, "leased rows are those that were returned");
        }
        assertTrue(claims <= 10, "a claim is filled up as far as it goes: " + claims);
        assertEquals(ids(events), claimed.keySet());
        events.forEach(event -> assertEquals(event.payloadJson(), claimed.get(event.eventId())));
    }

    @Test
    void anEventLargerThanAClaimIsClaimedAllTheSame() throws Exception {
        EventEnvelope event = EventEnvelope.ofJson("Large", "\"" + "x".repeat(500_000) + "\"");
        insert(event);
        OutboxEvent row = only(claimBytes("a", 1));
        assertEquals(event.payloadJson(), row.payloadJson());
    }

    @Test
    void headersCountForTheBytesOfAClaim() throws Exception {
        for (int i = 0; i < 4; i++) {
            insert(EventEnvelope.builder("Large")
                    .header("h", "\u00fc".repeat(50_000))
                    .payloadJson("{}")
                    .build());
        }
        List<OutboxEvent> rows = claimBytes("a", 150_000);
        assertEquals(2, rows.size());
        rows.forEach(row -> assertEquals(
                Map.of("h", "\u00fc".repeat(50_000)), JsonCodec.getDefault().parseObject(row.headersJson())));
    }

    private List<OutboxEvent> claimBytes(String owner, long maxBytes) throws SQLException {
        return single(conn -> leasing().claim(conn, new ClaimRequest(owner, LONG, NONE, 100, maxBytes)));
    }

    @Test
    void anExpiredLeaseIsClaimedByAnotherNode() throws Exception {
        EventEnvelope event = event();
        Since insert = Since.now();
        insertLeased("a", event);
        assertEquals(List.of(), claim("b", LONG, 10), "not over for who looks with a longer lease");
        assertClaimedOnlyThen(insert, SHORT, event);
        assertEquals("b", row(event).lockedBy());
    }

    @Test
    void aClaimWithoutSkipRecentDoesNotLookAtTheCreationTime() throws Exception {
        EventEnvelope ahead = eventAt(Instant.now().plus(Duration.ofHours(3)));
        insert(ahead);
        assertEquals(List.of(ahead.eventId()), claim("a", LONG, 10));
    }

    @Test
    void aClaimLeavesOutWhatIsRecent() throws Exception {
        EventEnvelope old = eventAt(Instant.now().minus(Duration.ofHours(3)));
        insert(old, event());
        List<OutboxEvent> claimed =
                run(conn -> leasing().claim(conn, new ClaimRequest("a", LONG, Duration.ofHours(1), 10)));
        assertEquals(List.of(old.eventId()), polledIds(claimed));
    }

    @Test
    void neitherNewRowsNorRetriesStarve() throws Exception {
        EventEnvelope[] events =
                IntStream.range(0, 60).mapToObj(i -> due(Duration.ofHours(1))).toArray(EventEnvelope[]::new);
        insert(events);
        for (int i = 0; i < 60; i += 2) {
            String id = events[i].eventId();
            Instant due = Instant.now().minus(Duration.ofHours(1));
            run(conn -> store().markRetry(conn, id, due, "again"));
        }
        Set<EventStatus> claimed = EnumSet.noneOf(EventStatus.class);
        for (int i = 0; i < 40; i++) {
            String id = claim("a", LONG, 1).get(0);
            claimed.add(find(id).orElseThrow().status());
        }
        assertEquals(EnumSet.of(EventStatus.NEW, EventStatus.RETRY), claimed);
        assertEquals(20, claim("a", LONG, 40).size(), "a claim fills up with what there is");
    }

    @Test
    void doneIsWrittenForTheOwnerOnly() throws Exception {
        EventEnvelope event = event();
        insertLeased("a", event);

        assertEquals(Set.of(event.eventId()), settle("b", new Settlement.Done(event.eventId())));
        assertEquals(new StoredRow(EventStatus.NEW, 0, null, "a", true, false), row(event));
        assertEquals(Set.of(), settle("a", new Settlement.Done(event.eventId())));
        assertEquals(new StoredRow(EventStatus.DONE, 0, null, null, false, true), row(event));
        assertEquals(Set.of(event.eventId()), settle("a", new Settlement.Done(event.eventId())));
    }

    @Test
    void deleteIsWrittenForTheOwnerOnly() throws Exception {
        EventEnvelope event = event();
        insertLeased("a", event);

        assertEquals(Set.of(event.eventId()), settle("b", new Settlement.Delete(event.eventId())));
        assertEquals("a", row(event).lockedBy());
        assertEquals(Set.of(), settle("a", new Settlement.Delete(event.eventId())));
        assertTrue(find(event.eventId()).isEmpty());
        assertEquals(Set.of(event.eventId()), settle("a", new Settlement.Delete(event.eventId())));
    }

    @Test
    void retryIsWrittenForTheOwnerOnly() throws Exception {
        EventEnvelope event = event();
        insertLeased("a", event);
        Settlement retry = new Settlement.Retry(event.eventId(), 3, Duration.ofHours(1), "down");

        assertEquals(Set.of(event.eventId()), settle("b", retry));
        assertEquals(EventStatus.NEW, row(event).status());
        assertEquals(Set.of(), settle("a", retry));
        assertEquals(new StoredRow(EventStatus.RETRY, 3, "down", null, false, false), row(event));
        assertEquals(List.of(), claim("b", LONG, 10), "not before its time");
        assertEquals(Set.of(event.eventId()), settle("a", retry));
        assertEquals(3, row(event).attempts());
    }

    @Test
    void deadIsWrittenForTheOwnerOnly() throws Exception {
        EventEnvelope event = event();
        insertLeased("a", event);
        Settlement dead = new Settlement.Dead(event.eventId(), 3, "poison");

        assertEquals(Set.of(event.eventId()), settle("b", dead));
        assertEquals(EventStatus.NEW, row(event).status());
        assertEquals(Set.of(), settle("a", dead));
        assertEquals(new StoredRow(EventStatus.DEAD, 3, "poison", null, false, true), row(event));
    }

    @Test
    void aReleasedRowIsDueAsBefore() throws Exception {
        EventEnvelope event = event();
        EventEnvelope younger = event();
        insertLeased("a", event);
        insert(younger);

        assertEquals(Set.of(event.eventId()), settle("b", new Settlement.Release(event.eventId(), 7)));
        assertEquals(Set.of(), settle("a", new Settlement.Release(event.eventId(), 2)));
        assertEquals(new StoredRow(EventStatus.NEW, 2, null, null, false, false), row(event));
        assertEquals(List.of(event.eventId(), younger.eventId()), claim("b", LONG, 10));
    }

    @Test
    void aRowReleasedWithADelayIsDueLater() throws Exception {
        EventEnvelope event = event();
        EventEnvelope far = event();
        insertLeased("a", event, far);

        Since release = Since.now();
        assertEquals(
                Set.of(),
                settle(
                        "a",
                        new Settlement.Release(event.eventId(), 1, SHORT),
                        new Settlement.Release(far.eventId(), 0, Duration.ofHours(2))));
        assertReleased(1, row(event));
        assertClaimedOnlyThen(release, LONG, event);
        assertReleased(0, row(far));
    }

    @Test
    void aRetryInAThousandYearsIsNotDueInOurTime() throws Exception {
        EventEnvelope event = event();
        insertLeased("a", event);
        run(conn -> leasing()
                .settle(
                        conn,
                        "a",
                        List.of(new Settlement.Retry(event.eventId(), 1, Duration.ofDays(400_000), "later"))));
        assertEquals(List.of(), poll(Instant.now().plus(Duration.ofDays(90_000))));
    }

    @Test
    void aRetryIsDueAfterItsDelayByTheClockOfTheDatabase() throws Exception {
        EventEnvelope event = event();
        insertLeased("a", event);
        Since retry = Since.now();
        settle("a", new Settlement.Retry(event.eventId(), 1, SHORT, "down"));

        assertClaimedOnlyThen(retry, LONG, event);
        assertEquals(EventStatus.RETRY, row(event).status());
    }

    @Test
    void outcomesOfAllKindsGoIntoOneBatch() throws Exception {
        List<EventEnvelope> events =
                IntStream.range(0, 2500).mapToObj(i -> event()).toList();
        insertLeased("a", events.toArray(EventEnvelope[]::new));
        List<Settlement> settlements = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            settlements.add(outcome(i, events.get(i).eventId()));
        }
        assertEquals(Set.of(), settle("a", settlements.toArray(Settlement[]::new)));

        for (int i = 0; i < 10; i++) {
            assertOutcome(i, events.get(i));
            assertOutcome(2490 + i, events.get(2490 + i));
        }
        assertEquals(500, (int) run(conn -> store().countDead(conn, null)));
    }

    private static Settlement outcome(int i, String id) {
        return switch (i % 5) {
            case 0 -> new Settlement.Done(id);
            case 1 -> new Settlement.Delete(id);
            case 2 -> new Settlement.Retry(id, i, Duration.ofHours(1), "error " + i);
            case 3 -> new Settlement.Dead(id, i, "error " + i);
            default -> new Settlement.Release(id, i, i % 2 == 0 ? Duration.ZERO : Duration.ofHours(1));
        };
    }

    /** A store may keep the time of a release with a delay in {@code locked_at}; nobody owns the row. */
    private static void assertReleased(int attempts, @Nullable StoredRow row) {
        assertNotNull(row);
        assertEquals(new StoredRow(EventStatus.NEW, attempts, null, null, row.locked(), false), row);
    }

    private void assertOutcome(int i, EventEnvelope event) throws SQLException {
        StoredRow row = find(event.eventId()).orElse(null);
        switch (i % 5) {
            case 0 -> assertEquals(new StoredRow(EventStatus.DONE, 0, null, null, false, true), row);
            case 1 -> assertNull(row);
            case 2 -> assertEquals(new StoredRow(EventStatus.RETRY, i, "error " + i, null, false, false), row);
            case 3 -> assertEquals(new StoredRow(EventStatus.DEAD, i, "error " + i, null, false, true), row);
            default -> assertReleased(i, row);
        }
    }

    @Test
    void lostRowsOfABatchAreToldExactlyAndTheOthersWritten() throws Exception {
        List<EventEnvelope> events =
                IntStream.range(0, 600).mapToObj(i -> event()).toList();
        insertLeased("a", events.toArray(EventEnvelope[]::new));
        EventEnvelope settledByOther = events.get(10);
        EventEnvelope takenByOther = events.get(300);
        EventEnvelope deleted = events.get(599);
        Settlement release = new Settlement.Release(takenByOther.eventId(), 0);
        settle("a", new Settlement.Done(settledByOther.eventId()), new Settlement.Delete(deleted.eventId()), release);
        assertEquals(List.of(takenByOther.eventId()), claim("b", LONG, 10));

        Set<String> lost = settle(
                "a",
                events.stream()
                        .map(event -> new Settlement.Done(event.eventId()))
                        .toArray(Settlement[]::new));
        assertEquals(Set.of(settledByOther.eventId(), takenByOther.eventId(), deleted.eventId()), lost);
        assertEquals("b", row(takenByOther).lockedBy());
        assertEquals(EventStatus.DONE, row(events.get(0)).status());
        assertEquals(EventStatus.DONE, row(events.get(598)).status());
        assertEquals(List.of(), claim("c", LONG, 1000));
    }

    @Test
    void noTextOfAnErrorBreaksItsBatch() throws Exception {
        EventEnvelope nul = event();
        EventEnvelope surrogate = event();
        EventEnvelope large = event();
        insertLeased("a", nul, surrogate, large);
        assertEquals(
                Set.of(),
                settle(
                        "a",
                        new Settlement.Retry(nul.eventId(), 1, LONG, "nul \u0000 inside"),
                        new Settlement.Retry(surrogate.eventId(), 1, LONG, "half \ud83d pair"),
                        new Settlement.Dead(large.eventId(), 1, "\ud83d\ude00".repeat(4000))));
        assertEquals("nul  inside", row(nul).lastError());
        assertEquals("half  pair", row(surrogate).lastError());
        assertEquals("\ud83d\ude00".repeat(2000), row(large).lastError());
    }

    @Test
    void settlingNothingIsNothing() throws Exception {
        assertEquals(Set.of(), settle("a"));
        assertEquals(Set.of(), run(conn -> leasing().renew(conn, "a", List.of())));
    }

    @Test
    void aRenewedLeaseStartsAnew() throws Exception {
        EventEnvelope event = event();
        insertLeased("a", event);
        Instant end = Instant.now().plus(SHORT.multipliedBy(2));
        Since renewal = Since.now();
        while (Instant.now().isBefore(end)) {
            renewal = Since.now();
            if (!run(conn -> leasing().renew(conn, "a", Set.of(event.eventId())))
                    .isEmpty()) {
                return; // the machine slept through the lease: nothing to be learned this time
            }
            renewal.assertNoneClaimed(claim("b", SHORT, 10));
        }
        assertClaimedOnlyThen(renewal, SHORT, event);
    }

    @Test
    void renewalTellsWhichLeasesAreLost() throws Exception {
        List<EventEnvelope> events =
                IntStream.range(0, 600).mapToObj(i -> event()).toList();
        insertLeased("a", events.toArray(EventEnvelope[]::new));
        EventEnvelope done = events.get(5);
        EventEnvelope taken = events.get(500);
        settle("a", new Settlement.Done(done.eventId()), new Settlement.Release(taken.eventId(), 0));
        claim("b", LONG, 10);

        List<String> ids =
                new ArrayList<>(events.stream().map(EventEnvelope::eventId).toList());
        ids.add("nobody");
        Set<String> lost = run(conn -> leasing().renew(conn, "a", ids));
        assertEquals(Set.of(done.eventId(), taken.eventId(), "nobody"), lost);
        assertFalse(row(done).locked());
        assertEquals("b", row(taken).lockedBy());
    }

    @Test
    void theLeasesOfOthersRunOutAtOnce() throws Exception {
        EventEnvelope mine = event();
        EventEnvelope others = event();
        EventEnvelope done = event();
        insertLeased("a", mine);
        insertLeased("b", others, done);
        settle("b", new Settlement.Done(done.eventId()));
        insert(event());

        assertEquals(1, (int) run(conn -> leasing().expireOthers(conn, "a")));
        assertEquals("a", row(mine).lockedBy());
        assertEquals(2, claim("c", LONG, 10).size());
        assertEquals("c", row(others).lockedBy());
    }

    @Test
    void onlyRowsWhoseOwnerDidNotReleaseThemAreSuspect() throws Exception {
        EventEnvelope left = event();
        EventEnvelope released = event();
        EventEnvelope retried = event();
        EventEnvelope free = event();
        insertLeased("a", left, released, retried);
        insert(free);
        settle(
                "a",
                new Settlement.Release(released.eventId(), 0),
                new Settlement.Retry(retried.eventId(), 1, Duration.ZERO, "down"));
        run(conn -> leasing().expireOthers(conn, "b"));

        assertEquals(Set.of(left.eventId()), suspects(claimRows("b", 10), 4));
        settle("b", new Settlement.Release(left.eventId(), 0));
        assertEquals(Set.of(), suspects(claimRows("b", 10), 1), "released, so nobody died with it");
    }

    @Test
    void whatItsOwnerClaimsAnewIsNotSuspect() throws Exception {
        EventEnvelope own = event();
        EventEnvelope others = event();
        insertLeased("a", own);
        insertLeased("b", others);
        run(conn -> leasing().expireOthers(conn, "c"));

        List<OutboxEvent> claimed = claimRows("a", 10);
        assertEquals(Set.of(others.eventId()), suspects(claimed, 2));
        assertEquals(
                FormerLease.OWN,
                claimed.stream()
                        .filter(row -> row.eventId().equals(own.eventId()))
                        .findFirst()
                        .orElseThrow()
                        .formerLease());
    }

    private List<OutboxEvent> claimRows(String owner, int limit) throws Exception {
        return run(conn -> leasing().claim(conn, new ClaimRequest(owner, LONG, Duration.ZERO, limit)));
    }

    private static Set<String> suspects(List<OutboxEvent> claimed, int expected) {
        assertEquals(expected, claimed.size());
        return claimed.stream()
                .filter(OutboxEvent::suspect)
                .map(OutboxEvent::eventId)
                .collect(Collectors.toSet());
    }

    private boolean beginAttempt(String owner, EventEnvelope event) throws Exception {
        return run(conn -> leasing().beginAttempt(conn, owner, event.eventId(), 1));
    }

    @Test
    void anAttemptIsWrittenBeforeItIsMadeByTheOwnerOnly() throws Exception {
        EventEnvelope event = event();
        insertLeased("a", event);

        assertFalse(beginAttempt("b", event));
        assertEquals(0, row(event).attempts());
        assertTrue(beginAttempt("a", event));
        assertEquals(new StoredRow(EventStatus.NEW, 1, null, "a", true, false), row(event));
        settle("a", new Settlement.Release(event.eventId(), 0));
        assertEquals(0, row(event).attempts(), "it was not made");
        assertFalse(beginAttempt("a", event));
    }

    @Test
    void theOldestPendingRowTellsHowLongItHasBeenDue() throws Exception {
        assertEquals(Optional.empty(), oldestPendingAge());
        insert(
                due(Duration.ofHours(1)),
                due(Duration.ofHours(3)),
                EventEnvelope.builder("Later")
                        .deliverAfter(Duration.ofHours(1))
                        .payloadJson("{}")
                        .build());
        Duration age = oldestPendingAge().orElseThrow();
        assertTrue(age.compareTo(Duration.ofMinutes(170)) > 0 && age.compareTo(Duration.ofMinutes(190)) < 0, "" + age);

        List<String> claimed = claim("a", LONG, 10);
        assertEquals(2, claimed.size());
        settle("a", new Settlement.Done(claimed.get(0)), new Settlement.Retry(claimed.get(1), 1, LONG, "later"));
        assertTrue(oldestPendingAge().isPresent(), "what failed and is due later was due before");
    }

    @Test
    void neitherAReleaseNorARetryMakesAnEventYounger() throws Exception {
        EventEnvelope scheduled = EventEnvelope.builder("Later")
                .occurredAt(Instant.now().minus(Duration.ofDays(1)))
                .deliverAfter(Duration.ofHours(1))
                .payloadJson("{}")
                .build();
        insert(scheduled);
        assertEquals(Optional.empty(), oldestPendingAge(), "what is scheduled for later has no age");

        EventEnvelope released = old(Duration.ofHours(3));
        insertLeased("a", released);
        settle("a", new Settlement.Release(released.eventId(), 0, Duration.ofHours(1)));
        assertOldestPendingAge(Duration.ofHours(3));

        EventEnvelope failed = old(Duration.ofHours(5));
        insertLeased("a", failed);
        settle("a", new Settlement.Retry(failed.eventId(), 1, Duration.ofHours(1), "later"));
        assertOldestPendingAge(Duration.ofHours(5));
    }

    private static EventEnvelope old(Duration age) {
        return EventEnvelope.builder("Old")
                .occurredAt(Instant.now().minus(age))
                .payloadJson("{}")
                .build();
    }

    private void assertOldestPendingAge(Duration expected) throws SQLException {
        Duration off = oldestPendingAge().orElseThrow().minus(expected).abs();
        assertTrue(off.compareTo(Duration.ofMinutes(50)) < 0, "off by " + off);
    }

    @Test
    void pendingRowsAreCountedUpToALimit() throws Exception {
        insert(event(), event(), event(), event());
        List<String> claimed = claim("a", LONG, 2);
        assertPending(4, 10);
        assertPending(3, 3);
        settle("a", new Settlement.Done(claimed.get(0)), new Settlement.Retry(claimed.get(1), 1, LONG, "later"));
        assertPending(3, 10);
    }

    private void assertPending(int expected, int atMost) throws SQLException {
        OptionalInt counted = run(conn -> leasing().countPending(conn, atMost));
        counted.ifPresent(rows -> assertEquals(expected, rows));
    }

    @Test
    void deadRowsAreCountedUpToALimit() throws Exception {
        insert(event(), event(), event(), event());
        List<String> claimed = claim("a", LONG, 3);
        settle(
                "a",
                new Settlement.Dead(claimed.get(0), 1, "poison"),
                new Settlement.Dead(claimed.get(1), 1, "poison"),
                new Settlement.Done(claimed.get(2)));
        assertDead(2, 10);
        assertDead(1, 1);
    }

    private void assertDead(int expected, int atMost) throws SQLException {
        OptionalInt counted = run(conn -> leasing().countDead(conn, atMost));
        counted.ifPresent(rows -> assertEquals(expected, rows));
    }

    @Test
    void operatorsMaySkipWhatNobodyDelivers() throws Exception {
        EventEnvelope failing = event();
        EventEnvelope dead = event();
        EventEnvelope held = event();
        EventEnvelope done = event();
        insertLeased("a", failing, dead, held, done);
        settle(
                "a",
                new Settlement.Retry(failing.eventId(), 1, LONG, "down"),
                new Settlement.Dead(dead.eventId(), 1, "poison"),
                new Settlement.Done(done.eventId()));

        assertEquals(1, (int) run(conn -> leasing().skip(conn, failing.eventId())));
        assertEquals(1, (int) run(conn -> leasing().skip(conn, dead.eventId())));
        assertEquals(0, (int) run(conn -> leasing().skip(conn, held.eventId())));
        assertEquals(0, (int) run(conn -> leasing().skip(conn, done.eventId())));
        assertEquals(new StoredRow(EventStatus.DONE, 1, "down", null, false, true), row(failing));
        assertEquals(new StoredRow(EventStatus.DONE, 1, "poison", null, false, true), row(dead));
        assertEquals("a", row(held).lockedBy());
    }

    @Test
    void operatorsMayParkWhatNobodyDeliversAndReplayItLater() throws Exception {
        EventEnvelope failing = event();
        EventEnvelope held = event();
        insertLeased("a", failing, held);
        settle("a", new Settlement.Retry(failing.eventId(), 1, LONG, "down"));

        assertEquals(0, (int) run(conn -> leasing().park(conn, held.eventId())));
        assertEquals(1, (int) run(conn -> leasing().park(conn, failing.eventId())));
        assertEquals(new StoredRow(EventStatus.DEAD, 1, "down", LeasingOutboxStore.PARKED, false, true), row(failing));
        assertEquals(1, (int) run(conn -> store().countDead(conn, null)));
        assertEquals(1, (int) run(conn -> store().replayDead(conn, failing.eventId())));
        assertNull(row(failing).lockedBy());
        assertEquals(List.of(failing.eventId()), claim("b", LONG, 10));
    }

    @Test
    void aSoundSchemaIsVerified() throws Exception {
        run(conn -> {
            leasing().verifySchema(conn);
            return 0;
        });
    }

    @Test
    void engineMethodsWorkInAutocommitMode() throws Exception {
        EventEnvelope event = event();
        EventEnvelope other = event();
        try (Connection conn = connections().getConnection()) {
            leasing().insertLeased(conn, List.of(event, other), "a");
            settle(conn, "a", new Settlement.Release(event.eventId(), 0), new Settlement.Done(other.eventId()));
            assertEquals(
                    1,
                    leasing().claim(conn, new ClaimRequest("b", LONG, NONE, 10)).size());
            assertEquals(Set.of(), leasing().renew(conn, "b", Set.of(event.eventId())));
            assertEquals(
                    Set.of("nobody"),
                    settle(conn, "b", new Settlement.Done(event.eventId()), new Settlement.Done("nobody")));
            assertTrue(conn.getAutoCommit(), "autocommit is as it was");
        }
        assertEquals(EventStatus.DONE, row(event).status());
    }

    @Test
    void aClaimThatIsRolledBackLeavesTheRowsFree() throws Exception {
        insert(event());
        assertThrows(
                IllegalStateException.class,
                () -> run(conn -> {
                    assertEquals(
                            1,
                            leasing()
                                    .claim(conn, new ClaimRequest("a", LONG, NONE, 10))
                                    .size());
                    throw new IllegalStateException("the node dies here");
                }));
        assertEquals(1, claim("b", LONG, 10).size());
    }

    @Test
    void concurrentClaimsAreDisjointAndComplete() throws Exception {
        Set<String> written = insertMany(10_000);
        List<List<String>> claimed = ConcurrentClaims.run(4, this::claimUntilEmpty);
        assertDisjointAndComplete(written, claimed);
    }

    private List<String> claimUntilEmpty(String node) throws SQLException {
        List<String> all = new ArrayList<>();
        List<String> batch;
        do {
            batch = claim(node, LONG, 100);
            all.addAll(batch);
        } while (!batch.isEmpty());
        return all;
    }

    @Test
    void nodesThatClaimSettleAndRenewAtTheSameTimeDoNotGetInEachOthersWay() throws Exception {
        Set<String> written = insertMany(4_000);
        List<List<String>> settled = ConcurrentClaims.run(4, node -> {
            List<String> all = new ArrayList<>();
            List<String> batch = claim(node, LONG, 50);
            while (!batch.isEmpty()) {
                List<String> held = batch;
                FutureTask<Set<String>> renewal =
                        new FutureTask<>(() -> single(conn -> leasing().renew(conn, node, held)));
                new Thread(renewal, node + "-renewal").start();
                Set<String> lost = settle(node, outcomes(held));
                renewal.get(); // what it finds is right either way, but it must not fail
                assertEquals(Set.of(), lost);
                all.addAll(held);
                batch = claim(node, LONG, 50);
            }
            return all;
        });
        assertDisjointAndComplete(written, settled);
    }

    private static Settlement[] outcomes(List<String> ids) {
        Settlement[] outcomes = new Settlement[ids.size()];
        for (int i = 0; i < outcomes.length; i++) {
            String id = ids.get(i);
            outcomes[i] = i % 3 == 0
                    ? new Settlement.Dead(id, 1, "dead")
                    : i % 3 == 1 ? new Settlement.Retry(id, 1, LONG, "later") : new Settlement.Done(id);
        }
        return outcomes;
    }

    private Set<String> insertMany(int count) throws SQLException {
        List<EventEnvelope> events =
                IntStream.range(0, count).mapToObj(i -> event()).toList();
        run(conn -> {
            store().insertBatch(conn, events);
            return count;
        });
        return ids(events);
    }

    static void assertDisjointAndComplete(Set<String> written, List<List<String>> claimed) {
        List<String> all = claimed.stream().flatMap(List::stream).toList();
        assertEquals(written.size(), all.size(), "each row once");
        assertEquals(written, Set.copyOf(all), "all rows");
    }

    private Optional<Duration> oldestPendingAge() throws SQLException {
        return run(conn -> Optional.ofNullable(leasing().oldestPendingAge(conn)));
    }

    final LeasingOutboxStore leasing() {
        return (LeasingOutboxStore) store();
    }

    /** A row that became due that long ago. */
    static EventEnvelope due(Duration ago) {
        return EventEnvelope.builder("Due")
                .availableAt(Instant.now().minus(ago))
                .payloadJson("{}")
                .build();
    }

    final void insertLeased(String owner, EventEnvelope... events) throws SQLException {
        run(conn -> {
            leasing().insertLeased(conn, List.of(events), owner);
            return 0;
        });
    }

    final List<String> claim(String owner, Duration leaseTime, int limit) throws SQLException {
        return polledIds(single(conn -> leasing().claim(conn, new ClaimRequest(owner, leaseTime, NONE, limit))));
    }

    /** Node b claims the event in the end, and not before {@link #SHORT} has passed. */
    private void assertClaimedOnlyThen(Since since, Duration leaseTime, EventEnvelope event) {
        Await.until(Await.DEFAULT_TIMEOUT, () -> "b cannot claim " + event, () -> {
            List<String> claimed = claim("b", leaseTime, 10);
            since.assertNoneClaimed(claimed);
            return claimed.contains(event.eventId()) || "b".equals(row(event).lockedBy());
        });
    }

    final Set<String> settle(String owner, Settlement... settlements) throws SQLException {
        return single(conn -> settle(conn, owner, settlements));
    }

    private Set<String> settle(Connection conn, String owner, Settlement... settlements) {
        return leasing().settle(conn, owner, Arrays.asList(settlements));
    }
}
