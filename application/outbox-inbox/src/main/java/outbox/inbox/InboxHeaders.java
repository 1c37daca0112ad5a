package outbox.inbox;

import java.util.List;

/** Headers that the inbox adds to the row of a message. They replace headers of the message with the same name. */
public final class InboxHeaders {
    /** The id of the message, as its sender or {@link MessageId} gave it. */
    public static final String MESSAGE_ID = "inbox-message-id";

    /** The consumer group that received it. */
    public static final String GROUP = "inbox-group";

    /** Where it came from, such as a topic. */
    public static final String SOURCE = "inbox-source";

    /** Its place in the source, such as partition and offset. */
    public static final String POSITION = "inbox-position";

    static final List<String> NAMES = List.of(MESSAGE_ID, GROUP, SOURCE, POSITION);

    private InboxHeaders() {}
}
