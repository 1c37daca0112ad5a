package outbox.testing;

import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import outbox.model.EventStatus;

/**
 * Assertions on some published events. Each {@code with} narrows them down and fails when none is left. See {@link
 * OutboxAssertions}.
 */
public final class PublishedAssert {
    private final OutboxAssert all;
    private final List<PublishedEvent> kept;
    private final String described;

    PublishedAssert(OutboxAssert all, List<PublishedEvent> kept, String described) {
        this.all = all;
        this.kept = kept;
        this.described = described;
    }

    PublishedAssert keep(String more, Predicate<PublishedEvent> condition) {
        String now = described + more;
        List<PublishedEvent> left = kept.stream().filter(condition).toList();
        if (left.isEmpty()) {
            throw all.failure("an event " + now);
        }
        return new PublishedAssert(all, left, now);
    }

    /** With this aggregate id. */
    public PublishedAssert withKey(String aggregateId) {
        return keep(" with key " + aggregateId, event -> aggregateId.equals(event.aggregateId()));
    }

    public PublishedAssert withAggregate(String aggregateType, String aggregateId) {
        return keep(
                " of " + aggregateType + "/" + aggregateId,
                event -> aggregateType.equals(event.aggregateType()) && aggregateId.equals(event.aggregateId()));
    }

    public PublishedAssert withTenant(@Nullable String tenantId) {
        return keep(" of tenant " + tenantId, event -> Objects.equals(tenantId, event.tenantId()));
    }

    public PublishedAssert withHeader(String name, String value) {
        return keep(
                " with header " + name + "=" + value,
                event -> value.equals(event.headers().get(name)));
    }

    /** Whose payload contains this text; white space between JSON tokens is ignored. */
    public PublishedAssert withPayloadContaining(String text) {
        String wanted = withoutSpaces(text);
        return keep(
                " with " + text + " in its payload",
                event -> withoutSpaces(event.payload()).contains(wanted));
    }

    /** PostgreSQL reformats JSON with spaces. */
    private static String withoutSpaces(String json) {
        return json.replaceAll("(?<=[:,{\\[])\\s+|\\s+(?=[}\\]:,])", "");
    }

    /** @param description goes into the message of a failure, after "an event" */
    public PublishedAssert matching(String description, Predicate<PublishedEvent> condition) {
        return keep(" " + description, condition);
    }

    public PublishedAssert isPending() {
        return keep(" that is pending", PublishedEvent::isPending);
    }

    public PublishedAssert isDone() {
        return keep(" that is DONE", event -> event.status() == EventStatus.DONE);
    }

    public PublishedAssert isDead() {
        return keep(" that is DEAD", event -> event.status() == EventStatus.DEAD);
    }

    /** Dead, with this text in its error. */
    public PublishedAssert isDeadOf(String error) {
        return keep(
                " that is DEAD of '" + error + "'",
                event -> event.status() == EventStatus.DEAD
                        && event.lastError() != null
                        && event.lastError().contains(error));
    }

    public PublishedAssert once() {
        return times(1);
    }

    public PublishedAssert times(int count) {
        if (kept.size() != count) {
            throw all.failure(count + " event(s) " + described + ", not " + kept.size());
        }
        return this;
    }

    /** The only one that is left. */
    public PublishedEvent single() {
        return once().kept.get(0);
    }

    /** Those that are left, oldest first. */
    public List<PublishedEvent> events() {
        return kept;
    }

    /** Back to all events. */
    public OutboxAssert and() {
        return all;
    }
}
