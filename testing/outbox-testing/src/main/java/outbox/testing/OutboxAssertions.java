package outbox.testing;

import java.util.Collection;
import javax.sql.DataSource;
import outbox.EventEnvelope;

/**
 * Assertions on published events. A failure lists all of them.
 *
 * <pre>{@code
 * OutboxAssertions.assertThat(dataSource).published("order.placed").withKey("42").once();
 * OutboxAssertions.assertThat(dataSource).published(OrderPlaced.class).withKey("42").isDone();
 * OutboxAssertions.assertThat(dataSource).publishedNothing();
 * }</pre>
 */
public final class OutboxAssertions {
    static final String DEFAULT_TABLE = "outbox_event";

    private OutboxAssertions() {}

    /** On the rows of the table {@code outbox_event}. */
    public static OutboxAssert assertThat(DataSource dataSource) {
        return assertThat(dataSource, DEFAULT_TABLE);
    }

    /** On the rows of a table; {@code table} is trusted. */
    public static OutboxAssert assertThat(DataSource dataSource, String table) {
        return assertThat(EventSource.table(dataSource, table));
    }

    /** On the rows of a store in memory. */
    public static OutboxAssert assertThat(InMemoryOutboxStore store) {
        return assertThat(EventSource.store(store));
    }

    /** On these events, such as what a {@link RecordingListener} received. */
    public static OutboxAssert assertThat(Collection<EventEnvelope> events) {
        return assertThat(EventSource.events(events));
    }

    public static OutboxAssert assertThat(EventSource source) {
        return new OutboxAssert(source.read());
    }
}
