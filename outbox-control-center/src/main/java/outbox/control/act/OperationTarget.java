package outbox.control.act;

import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import outbox.control.source.Application;
import outbox.control.source.ErrorGroups;
import outbox.control.source.EventPage;
import outbox.control.source.EventReader;
import outbox.control.source.EventSummary;

/** An application that operations work on. */
public record OperationTarget(Application application, EventReader reader, ErrorGroups errors) {
    /** @param next where to go on; {@code null} at the end */
    record Matches(List<EventSummary> events, @Nullable String next) {}

    /** Events the request is about, oldest first, page by page. */
    Matches matches(OperationRequest request, @Nullable String cursor) throws SQLException {
        if (!request.ids().isEmpty()) {
            return new Matches(
                    reader.events(request.ids()).stream()
                            .filter(event -> request.filter().states().contains(event.state()))
                            .toList(),
                    null);
        }
        EventPage page = reader.page(request.filter(), false, cursor, EventReader.MAX_PAGE);
        if (request.errorGroup() == null) {
            return new Matches(page.events(), page.next());
        }
        Set<String> members =
                errors.members(page.events().stream().map(EventSummary::id).toList(), request.errorGroup());
        return new Matches(
                page.events().stream()
                        .filter(event -> members.contains(event.id()))
                        .toList(),
                page.next());
    }
}
