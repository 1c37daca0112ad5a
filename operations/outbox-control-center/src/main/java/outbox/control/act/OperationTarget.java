package outbox.control.act;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.control.source.Application;
import outbox.control.source.ErrorGroups;
import outbox.control.source.EventCount;
import outbox.control.source.EventPage;
import outbox.control.source.EventReader;
import outbox.control.source.EventState;
import outbox.control.source.EventSummary;

/** An application that operations work on. */
public record OperationTarget(Application application, EventReader reader, ErrorGroups errors) {
    private static final List<EventState> ORDER = List.of(
            EventState.DEAD, EventState.RETRY, EventState.NEW, EventState.HELD, EventState.SCHEDULED, EventState.DONE);

    /** @param next the cursor of the next page; {@code null} at the end */
    record Matches(List<EventSummary> events, @Nullable String next) {}

    /** Events that match the request, page by page: one state after the other, because each state has its own index. */
    Matches matches(OperationRequest request, @Nullable String cursor) throws SQLException {
        if (!request.ids().isEmpty()) {
            return new Matches(
                    reader.events(request.ids()).stream()
                            .filter(event -> request.filter().states().contains(event.state()))
                            .toList(),
                    null);
        }
        List<EventState> states = states(request);
        int at = cursor == null ? 0 : Integer.parseInt(cursor.substring(0, cursor.indexOf(':')));
        String within = cursor == null ? "" : cursor.substring(cursor.indexOf(':') + 1);
        EventPage page = reader.page(
                request.filter().withStates(states.get(at)),
                false,
                within.isEmpty() ? null : within,
                EventReader.MAX_PAGE);
        String next = page.next() != null ? at + ":" + page.next() : at + 1 < states.size() ? (at + 1) + ":" : null;
        if (request.errorGroup() == null) {
            return new Matches(page.events(), next);
        }
        Set<String> members =
                errors.members(page.events().stream().map(EventSummary::id).toList(), request.errorGroup());
        return new Matches(
                page.events().stream()
                        .filter(event -> members.contains(event.id()))
                        .toList(),
                next);
    }

    /**
     * Counts the events that match the request, until the time is over.
     *
     * @param sample how many ids to return
     * @param end as {@link System#nanoTime}; at least one query is made
     */
    EventCount count(OperationRequest request, int sample, long end) throws SQLException {
        return request.errorGroup() == null ? countByIndex(request, sample, end) : countByPages(request, sample, end);
    }

    private EventCount countByIndex(OperationRequest request, int sample, long end) throws SQLException {
        List<String> first = new ArrayList<>();
        int count = 0;
        boolean more = false;
        for (EventState state : states(request)) {
            EventCount found = reader.count(
                    request.filter().withStates(state), EventReader.COUNT_CAP - count, sample - first.size(), end);
            first.addAll(found.first());
            count += found.events();
            more |= found.more();
        }
        return new EventCount(count, more, first);
    }

    /** Error groups have no index: the stored error of each event is compared. */
    private EventCount countByPages(OperationRequest request, int sample, long end) throws SQLException {
        List<String> first = new ArrayList<>();
        int count = 0;
        String cursor = null;
        do {
            Matches matches = matches(request, cursor);
            matches.events().stream()
                    .map(EventSummary::id)
                    .limit(sample - first.size())
                    .forEach(first::add);
            count += matches.events().size();
            cursor = matches.next();
        } while (cursor != null && count < EventReader.COUNT_CAP && System.nanoTime() - end < 0);
        return new EventCount(Math.min(count, EventReader.COUNT_CAP), cursor != null, first);
    }

    private static List<EventState> states(OperationRequest request) {
        return ORDER.stream().filter(request.filter().states()::contains).toList();
    }
}
