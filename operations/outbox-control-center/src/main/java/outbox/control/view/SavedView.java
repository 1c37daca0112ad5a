package outbox.control.view;

import java.time.Instant;

/**
 * A filter with a name.
 *
 * @param filter a query of the event list, such as {@code state=dead&from=P1D}
 * @param shared whether all users of the application can see it
 */
public record SavedView(
        String id, String application, String name, String owner, boolean shared, String filter, Instant createdAt) {}
