package outbox.control.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static outbox.control.OutboxTable.event;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import outbox.EventEnvelope;
import outbox.control.OutboxTable;
import outbox.testing.server.DatabaseServer;

/** What the lists show, the same on every database. */
abstract class EventReaderContract {
    private OutboxTable table;
    private EventReader reader;

    abstract DatabaseServer server();

    @BeforeEach
    void createTable() throws SQLException {
        table = OutboxTable.on(server());
        reader = new EventReader(table.application());
    }

    @Test
    void pagesShowEveryEventOnceNewestFirst() throws SQLException {
        List<String> ids = insert(25);
        Collections.reverse(ids);
        assertThat(allPages(reader, EventFilter.ALL, true, 10)).isEqualTo(ids);
    }

    @Test
    void pagesCanGoOldestFirst() throws SQLException {
        List<String> ids = insert(25);
        assertThat(allPages(reader, EventFilter.ALL, false, 10)).isEqualTo(ids);
    }

    @Test
    void anEventThatArrivesDoesNotMoveThePagesBehind() throws SQLException {
        List<String> ids = insert(20);
        EventPage first = reader.page(EventFilter.ALL, true, null, 10);
        insert(5);
        EventPage second = reader.page(EventFilter.ALL, true, first.next(), 10);
        assertThat(second.events()).extracting(EventSummary::id).containsExactly(reversed(ids.subList(0, 10)));
    }

    @Test
    void eachStateIsAListOfItsOwn() throws SQLException {
        String fresh = table.insert(event("A", "1").build());
        String done = table.done(event("A", "2").build());
        String retry = table.retrying(event("A", "3").build(), "java.io.IOException: away");
        String dead = table.dead(event("A", "4").build(), "java.io.IOException: gone");
        assertThat(ids(EventFilter.ALL.withStates(EventState.NEW))).containsExactly(fresh);
        assertThat(ids(EventFilter.ALL.withStates(EventState.DONE))).containsExactly(done);
        assertThat(ids(EventFilter.ALL.withStates(EventState.RETRY))).containsExactly(retry);
        assertThat(ids(EventFilter.ALL.withStates(EventState.DEAD))).containsExactly(dead);
        assertThat(ids(EventFilter.ALL.withStates(EventState.NEW, EventState.RETRY)))
                .containsExactlyInAnyOrder(fresh, retry);
        assertThat(ids(EventFilter.ALL.withStates(EventState.DEAD, EventState.RETRY)))
                .containsExactlyInAnyOrder(dead, retry);
        assertThat(ids(EventFilter.ALL.withStates(EventState.DEAD, EventState.DONE)))
                .containsExactlyInAnyOrder(dead, done);
    }

    @Test
    void statesOnSeveralIndexesAreMergedPageByPage() throws SQLException {
        List<String> waiting = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            waiting.add(table.insert(event("A", "n" + i).build()));
            waiting.add(table.retrying(event("A", "r" + i).build(), "again"));
        }
        EventFilter pending = EventFilter.ALL.withStates(EventState.NEW, EventState.RETRY);
        for (boolean newestFirst : new boolean[] {true, false}) {
            assertThat(allPages(reader, pending, newestFirst, 5))
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(waiting);
        }
    }

    @Test
    void failuresOfBothStatesAreMergedPageByPage() throws SQLException {
        List<String> failed = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            failed.add(table.retrying(event("A", "r" + i).build(), "again"));
            failed.add(table.dead(event("A", "d" + i).build(), "gone"));
            table.insert(event("A", "n" + i).build());
        }
        EventFilter failures = EventFilter.ALL.withStates(EventState.RETRY, EventState.DEAD);
        for (boolean newestFirst : new boolean[] {true, false}) {
            assertThat(allPages(reader, failures, newestFirst, 5))
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(failed);
        }
    }

    @Test
    void aCountEndsAtItsCap() throws SQLException {
        List<String> ids = insert(30);
        long now = System.nanoTime();
        assertThat(reader.count(EventFilter.ALL.withType("A"), 100, 3, now))
                .isEqualTo(new EventCount(30, false, ids.subList(0, 3)));
        assertThat(reader.count(EventFilter.ALL.withType("A"), 20, 0, now))
                .isEqualTo(new EventCount(20, true, List.of()));
        EventReader bounded = new EventReader(table.application(), 10);
        for (EventFilter filter : List.of(EventFilter.ALL.withType("A"), EventFilter.ALL.withStates(EventState.NEW))) {
            assertThat(bounded.count(filter, 100, 20, now))
                    .as("one look, since the time is over")
                    .isEqualTo(new EventCount(10, true, ids.subList(0, 10)));
            assertThat(bounded.count(
                            filter, 100, 20, now + Duration.ofMinutes(1).toNanos()))
                    .as("look by look, with time enough")
                    .isEqualTo(new EventCount(30, false, ids.subList(0, 20)));
        }
    }

    @Test
    void whoAsksForErrorGroupsAgainGetsThoseThatWereLookedAt() throws SQLException {
        table.dead(event("A", "1").build(), "java.io.IOException: gone");
        ErrorGroups errors = new ErrorGroups(table.application(), reader);
        ErrorGroups.Overview first = errors.read();
        assertThat(first.groups()).singleElement().satisfies(group -> {
            assertThat(group.dead()).isEqualTo(1);
            assertThat(group.errorClass()).isEqualTo("java.io.IOException");
        });
        table.dead(event("A", "2").build(), "java.io.IOException: gone");
        errors.refresh();
        assertThat(errors.read()).as("not due yet").isSameAs(first);
    }

    @Test
    void filtersMatchExactlyOrAsABeginning() throws SQLException {
        String placed = table.insert(event("order.placed", "1").tenantId("acme").build());
        String paid = table.insert(event("order.paid", "2").build());
        String odd = table.insert(event("order%paid", "3").build());
        assertThat(ids(EventFilter.ALL.withType("order.placed"))).containsExactly(placed);
        assertThat(ids(EventFilter.ALL.withType("order.*"))).containsExactly(paid, placed);
        assertThat(ids(EventFilter.ALL.withType("order%*"))).containsExactly(odd);
        assertThat(ids(EventFilter.ALL.withTenant("acme"))).containsExactly(placed);
        assertThat(ids(EventFilter.ALL.withAggregate("Order", "2"))).containsExactly(paid);
        assertThat(ids(EventFilter.ALL.withAggregate(null, "3"))).containsExactly(odd);
        assertThat(ids(EventFilter.ALL.withId(paid))).containsExactly(paid);
        assertThat(ids(EventFilter.ALL.withId(paid.substring(0, 25) + "*"))).contains(paid);
        assertThat(ids(EventFilter.ALL.withStates(EventState.NEW).withId(paid))).containsExactly(paid);
    }

    @Test
    void anAggregateIsFoundInOneStepAlongItsOptionalIndex() throws SQLException {
        String first = table.insert(event("A", "needle").build());
        insert(30);
        String last = table.dead(event("A", "needle").build(), "gone");
        EventFilter needle = EventFilter.ALL.withAggregate(null, "needle");
        EventFilter dead = needle.withStates(EventState.DEAD);
        EventReader without = new EventReader(table.application(), 10);
        assertThat(allPages(without, needle, true, 5)).containsExactly(last, first);

        table.execute("CREATE INDEX outbox_event_aggregate ON outbox_event (aggregate_id, event_id)");
        EventReader with = new EventReader(table.application(), 10);
        try (Connection conn = table.dataSource().getConnection()) {
            TableTraits traits = new TableTraits(table.application());
            assertThat(traits.aggregatesIndexed(conn)).isTrue();
            EventSearch search = new EventSearch(table.application(), needle, true, traits, 10, Instant.now());
            assertThat(search.find(conn, null, 5, "event_id", row -> row.getString(1)))
                    .satisfies(slice -> {
                        assertThat(slice.rows()).containsExactly(last, first);
                        assertThat(slice.frontier())
                                .as("nothing is left to look through")
                                .isNull();
                    });
        }
        assertThat(allPages(with, needle, false, 1)).containsExactly(first, last);
        assertThat(allPages(with, dead, true, 5)).containsExactly(last);
        assertThat(allPages(with, EventFilter.ALL.withAggregate(null, "need*"), true, 5))
                .containsExactly(last, first);
    }

    @Test
    void errorsMatchAnywhereAndWildcardsAreText() throws SQLException {
        String percent = table.dead(event("A", "1").build(), "java.lang.IllegalStateException: 100% full");
        String other = table.dead(event("A", "2").build(), "java.lang.IllegalStateException: 100 full");
        assertThat(ids(EventFilter.ALL.withStates(EventState.DEAD).withError("100% f")))
                .containsExactly(percent);
        assertThat(ids(EventFilter.ALL.withError("IllegalState"))).containsExactly(other, percent);
    }

    @Test
    void timesLimitWhatWasCreated() throws SQLException {
        Instant now = Instant.now();
        String old = table.insert(idAt(now.minus(Duration.ofDays(2)), "old"));
        String recent = table.insert(idAt(now.minus(Duration.ofHours(1)), "recent"));
        assertThat(ids(EventFilter.ALL.createdBetween(now.minus(Duration.ofDays(1)), null)))
                .containsExactly(recent);
        assertThat(ids(EventFilter.ALL.createdBetween(null, now.minus(Duration.ofDays(1)))))
                .containsExactly(old);
    }

    @Test
    void timesWorkWithIdsOfAnotherKind() throws SQLException {
        Instant now = Instant.now();
        table.insert(event("A", "1")
                .eventId("fffffff1-0000-4000-8000-000000000000")
                .occurredAt(now.minus(Duration.ofDays(2)))
                .build());
        String recent = table.insert(event("A", "2")
                .eventId("00000001-0000-4000-8000-000000000000")
                .occurredAt(now)
                .build());
        assertThat(ids(EventFilter.ALL.createdBetween(now.minus(Duration.ofDays(1)), null)))
                .containsExactly(recent);
    }

    private static EventEnvelope idAt(Instant time, String aggregateId) {
        return event("A", aggregateId)
                .eventId(UlidTimes.firstAt(time))
                .occurredAt(time)
                .build();
    }

    @Test
    void aRareMatchIsFoundPageByPageWithinABound() throws SQLException {
        String needle = table.insert(event("needle", "1").build());
        insert(30);
        EventReader bounded = new EventReader(table.application(), 10);
        assertThat(allPages(bounded, EventFilter.ALL.withType("needle"), true, 5))
                .containsExactly(needle);
        assertThat(allPages(bounded, EventFilter.ALL.withStates(EventState.NEW).withType("needle"), true, 5))
                .containsExactly(needle);
    }

    @Test
    void aBoundedSearchMissesNothingAcrossSeveralIndexes() throws SQLException {
        List<String> wanted = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            EventEnvelope event =
                    event(i % 7 == 0 ? "wanted" : "other", "k" + i).build();
            String id = i % 2 == 0 ? table.insert(event) : table.retrying(event, "again");
            if (i % 7 == 0) {
                wanted.add(id);
            }
        }
        EventReader bounded = new EventReader(table.application(), 3);
        assertThat(allPages(
                        bounded,
                        EventFilter.ALL
                                .withStates(EventState.NEW, EventState.RETRY)
                                .withType("wanted"),
                        false,
                        2))
                .doesNotHaveDuplicates()
                .containsExactlyInAnyOrderElementsOf(wanted);
    }

    @Test
    void aStrangeCursorIsRefused() {
        assertThatThrownBy(() -> reader.page(EventFilter.ALL, true, "%%%", 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("invalid cursor");
    }

    @Test
    void anEventHasItsHeadersErrorAndSizeButNoPayload() throws SQLException {
        String id = table.dead(
                event("A", "1").header("traceparent", "00-abc").build(),
                "java.io.IOException: gone\n  at a.B.c(B.java:1)");
        EventDetail detail = reader.event(id);
        assertThat(detail.event().state()).isEqualTo(EventState.DEAD);
        assertThat(detail.event().error()).isEqualTo("java.io.IOException: gone");
        assertThat(detail.error()).contains("a.B.c");
        assertThat(detail.headers()).containsEntry("traceparent", "00-abc");
        assertThat(detail.payloadBytes()).isBetween(7L, 9L);
        assertThat(detail.seq()).isNull();
        assertThat(reader.payload(id)).isIn("{\"n\":1}", "{\"n\": 1}");
    }

    @Test
    void whatIsNotThereIsNull() throws SQLException {
        assertThat(reader.event("nothing")).isNull();
        assertThat(reader.payload("nothing")).isNull();
    }

    @Test
    void countsAreByState() throws SQLException {
        insert(3);
        table.dead(event("A", "x").build(), "gone");
        assertThat(reader.counts())
                .isEqualTo(Map.of(
                        EventState.NEW,
                        3,
                        EventState.SCHEDULED,
                        0,
                        EventState.HELD,
                        0,
                        EventState.RETRY,
                        0,
                        EventState.DEAD,
                        1,
                        EventState.DONE,
                        0));
    }

    @Test
    void neighboursAreOfTheSameAggregateInTheirOrder() throws SQLException {
        String first = table.done(event("A", "7").build());
        table.insert(event("A", "8").build());
        String middle = table.insert(event("B", "7").build());
        String last = table.insert(event("C", "7").build());
        Neighbours neighbours = reader.neighbours(reader.event(middle).event());
        assertThat(neighbours.before()).extracting(EventSummary::id).containsExactly(first);
        assertThat(neighbours.after()).extracting(EventSummary::id).containsExactly(last);
        assertThat(neighbours.blockers()).isEmpty();
    }

    @Test
    void inOrderedTablesBlockersAreShown() throws SQLException {
        table.ordered();
        EventReader ordered = new EventReader(table.application());
        String dead = table.dead(event("A", "7").build(), "gone");
        String waiting = table.insert(event("A", "7").build());
        assertThat(ordered.event(waiting).seq()).isNotNull();
        assertThat(ordered.neighbours(ordered.event(waiting).event()).blockers())
                .extracting(EventSummary::id)
                .containsExactly(dead);
    }

    @Test
    void theOldestWaitingEventHasAnAge() throws SQLException {
        assertThat(reader.oldestPendingAge()).isNull();
        insert(1);
        assertThat(reader.oldestPendingAge()).isGreaterThanOrEqualTo(Duration.ZERO);
    }

    @Test
    void whatIsScheduledIsToldFromWhatANodeReleased() throws SQLException {
        List<String> due = insert(1);
        String leased = table.beingDelivered(event("A", "k").build());
        String later = table.insert(
                event("Later", "k").deliverAfter(Duration.ofDays(1)).build());
        List<String> released = List.of(
                table.released(event("A", "k").build()),
                table.released(event("A", "k").build()));

        assertThat(reader.counts())
                .containsEntry(EventState.NEW, 2)
                .containsEntry(EventState.SCHEDULED, 1)
                .containsEntry(EventState.HELD, 2)
                .containsEntry(EventState.RETRY, 0);
        assertThat(ids(EventFilter.ALL.withStates(EventState.NEW))).containsExactlyInAnyOrder(due.get(0), leased);
        assertThat(ids(EventFilter.ALL.withStates(EventState.SCHEDULED))).containsExactly(later);
        assertThat(ids(EventFilter.ALL.withStates(EventState.HELD))).containsExactlyInAnyOrderElementsOf(released);
        assertThat(ids(EventFilter.ALL.withStates(EventState.SCHEDULED, EventState.HELD)))
                .hasSize(3);
        assertThat(reader.page(EventFilter.ALL, true, null, 50).events())
                .filteredOn(event -> event.state() == EventState.HELD)
                .extracting(EventSummary::id)
                .containsExactlyInAnyOrderElementsOf(released);
        assertThat(reader.events(List.of(later)))
                .extracting(EventSummary::state)
                .containsExactly(EventState.SCHEDULED);
    }

    @Test
    void scheduledEventsDoNotHideThoseThatWait() throws SQLException {
        List<EventEnvelope> later = new ArrayList<>();
        for (int i = 0; i <= EventReader.COUNT_CAP; i++) {
            later.add(event("Later", "k").deliverAfter(Duration.ofDays(1)).build());
        }
        table.insertAll(later);
        insert(5);
        assertThat(reader.counts())
                .containsEntry(EventState.NEW, 5)
                .containsEntry(EventState.SCHEDULED, EventReader.COUNT_CAP + 1);
    }

    @Test
    void suggestionsAreValuesOfRecentAndDeadEvents() throws SQLException {
        table.insert(event("OrderPlaced", "1").tenantId("acme").build());
        table.insert(event("OrderPlaced", "2").build());
        table.dead(event("OrderPaid", "1").build(), "away");
        assertThat(new SuggestionReader(table.application()).read())
                .isEqualTo(new Suggestions(List.of("OrderPaid", "OrderPlaced"), List.of("Order"), List.of("acme")));
    }

    @Test
    void anEventThatWasReleasedKeepsItsAge() throws SQLException {
        table.insert(event("Later", "k")
                .occurredAt(Instant.now().minus(Duration.ofDays(1)))
                .deliverAfter(Duration.ofDays(1))
                .build());
        assertThat(reader.oldestPendingAge()).as("scheduled").isNull();
        table.released(event("A", "k")
                .occurredAt(Instant.now().minus(Duration.ofHours(2)))
                .build());
        assertThat(reader.oldestPendingAge()).isBetween(Duration.ofMinutes(110), Duration.ofMinutes(180));
    }

    private List<String> insert(int count) throws SQLException {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(event("A", "k" + i).build());
        }
        table.insertAll(events);
        return new ArrayList<>(events.stream().map(EventEnvelope::eventId).toList());
    }

    private List<String> ids(EventFilter filter) throws SQLException {
        return reader.page(filter, true, null, 50).events().stream()
                .map(EventSummary::id)
                .toList();
    }

    private static List<String> allPages(EventReader reader, EventFilter filter, boolean newestFirst, int size)
            throws SQLException {
        List<String> ids = new ArrayList<>();
        String cursor = null;
        int pages = 0;
        do {
            EventPage page = reader.page(filter, newestFirst, cursor, size);
            assertThat(page.events()).hasSizeLessThanOrEqualTo(size);
            page.events().forEach(event -> ids.add(event.id()));
            cursor = page.next();
            assertThat(++pages).isLessThan(200);
        } while (cursor != null);
        return ids;
    }

    private static String[] reversed(List<String> ids) {
        List<String> copy = new ArrayList<>(ids);
        Collections.reverse(copy);
        return copy.toArray(String[]::new);
    }
}
