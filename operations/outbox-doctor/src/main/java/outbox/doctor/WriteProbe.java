package outbox.doctor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import outbox.EventEnvelope;
import outbox.OutboxWriter;

/** Writes a test event, rolls back, and observes it from another connection. */
final class WriteProbe {
    static final String TYPE = "outbox.doctor.probe";
    private static final Question QUESTION = Question.SAME_TRANSACTION;
    private static final Duration NEVER = Duration.ofDays(1);

    private final OutboxWriter writer;
    private final RolledBackTransaction transaction;

    WriteProbe(OutboxWriter writer, RolledBackTransaction transaction) {
        this.writer = Objects.requireNonNull(writer, "writer");
        this.transaction = Objects.requireNonNull(transaction, "transaction");
    }

    Answer answer(Examination examination) throws SQLException {
        AtomicReference<@Nullable String> id = new AtomicReference<>();
        AtomicReference<@Nullable Object> seenInside = new AtomicReference<>();
        try {
            transaction.run(() -> {
                EventEnvelope probe = EventEnvelope.builder(TYPE)
                        .availableAt(examination.now().plus(NEVER))
                        .payloadJson("{}")
                        .build();
                id.set(writer.write(probe));
                seenInside.set(id.get() != null && isThere(examination, id.get()));
            });
        } catch (Exception e) {
            return Answer.unknown(QUESTION, "the test event could not be written: " + e.getMessage());
        }
        String event = id.get();
        if (event == null) {
            return Answer.unknown(QUESTION, "a writer hook suppressed the test event");
        }
        boolean left = isThere(examination, event);
        if (left) {
            delete(examination, event);
        }
        if (left || Boolean.TRUE.equals(seenInside.get())) {
            return Answer.no(
                    QUESTION,
                    "the test event was "
                            + (left ? "still there after the rollback" : "visible to others before the end")
                            + ": the writer does not use the connection of the transaction");
        }
        return Answer.yes(
                QUESTION,
                "the test event was invisible to others while its transaction was open, and gone after the"
                        + " rollback");
    }

    private static boolean isThere(Examination examination, String eventId) {
        try {
            return examination.ask().first("SELECT 1 FROM {table} WHERE event_id = ?", row -> 1, eventId) != null;
        } catch (SQLException e) {
            throw new IllegalStateException("cannot query the test event", e);
        }
    }

    private static void delete(Examination examination, String eventId) throws SQLException {
        Connection conn = examination.ask().connection();
        try (PreparedStatement statement =
                conn.prepareStatement("DELETE FROM " + examination.tableName() + " WHERE event_id = ?")) {
            statement.setString(1, eventId);
            statement.executeUpdate();
        }
    }
}
