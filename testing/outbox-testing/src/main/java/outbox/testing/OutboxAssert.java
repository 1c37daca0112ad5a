package outbox.testing;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import outbox.model.EventStatus;

/** Assertions on all published events, as of its creation. See {@link OutboxAssertions}. */
public final class OutboxAssert {
    private final List<PublishedEvent> events;

    OutboxAssert(List<PublishedEvent> events) {
        this.events = List.copyOf(events);
    }

    /** At least one event of this type; further assertions apply only to these. */
    public PublishedAssert published(String eventType) {
        return new PublishedAssert(this, events, "of type " + eventType)
                .keep("", event -> event.eventType().equals(eventType));
    }

    /** At least one event of this class, by the name in its {@code @EventName}, otherwise by class name. */
    public PublishedAssert published(Class<?> eventClass) {
        return published(EventNames.of(eventClass));
    }

    /** No event of this type. */
    public OutboxAssert publishedNo(String eventType) {
        return none(
                "no event of type " + eventType,
                events.stream()
                        .filter(event -> event.eventType().equals(eventType))
                        .toList());
    }

    /** No event of this class. */
    public OutboxAssert publishedNo(Class<?> eventClass) {
        return publishedNo(EventNames.of(eventClass));
    }

    public OutboxAssert publishedNothing() {
        return none("no event at all", events);
    }

    /** These types, in this order, and nothing else. */
    public OutboxAssert publishedExactly(String... eventTypes) {
        List<String> types = events.stream().map(PublishedEvent::eventType).toList();
        if (!types.equals(List.of(eventTypes))) {
            throw failure("exactly " + List.of(eventTypes));
        }
        return this;
    }

    /** Nothing is NEW or RETRY any more. */
    public OutboxAssert hasNothingPending() {
        return none(
                "nothing pending",
                events.stream().filter(PublishedEvent::isPending).toList());
    }

    public OutboxAssert hasNoDeadEvents() {
        return none(
                "no dead event",
                events.stream()
                        .filter(event -> event.status() == EventStatus.DEAD)
                        .toList());
    }

    /** All events, oldest first, for further assertions. */
    public List<PublishedEvent> events() {
        return events;
    }

    private OutboxAssert none(String expected, List<PublishedEvent> found) {
        if (!found.isEmpty()) {
            throw failure(expected);
        }
        return this;
    }

    AssertionError failure(String expected) {
        String all = events.isEmpty()
                ? "nothing was published"
                : IntStream.range(0, events.size())
                        .mapToObj(i -> "  " + (i + 1) + ". " + events.get(i).line())
                        .collect(Collectors.joining("\n", "published were\n", ""));
        return new AssertionError("expected " + expected + ", but " + all);
    }
}
