package outbox.migration;

import com.gruelbox.transactionoutbox.Invocation;
import com.gruelbox.transactionoutbox.InvocationSerializer;
import java.io.StringReader;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

// snippet: carry-over
public class GruelboxMigration {
    private final InvocationSerializer serializer = InvocationSerializer.createDefaultJsonSerializer(); // or your own
    private final JdbcTemplate jdbc;
    private final ApplicationEventPublisher events;

    GruelboxMigration(JdbcTemplate jdbc, ApplicationEventPublisher events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    /** Each entry is deleted and published in one transaction. Call it again until it returns 0. */
    @Transactional
    public int carryOver() {
        return jdbc
                .query(
                        "SELECT id, invocation FROM txno_outbox WHERE processed IS NOT TRUE LIMIT 1000 FOR UPDATE",
                        (row, i) -> {
                            events.publishEvent(eventOf(row.getString("invocation")));
                            return row.getString("id");
                        })
                .stream()
                .mapToInt(id -> jdbc.update("DELETE FROM txno_outbox WHERE id = ?", id))
                .sum();
    }

    private Object eventOf(String entry) {
        Invocation call = serializer.deserializeInvocation(new StringReader(entry));
        Object[] arguments = call.getArgs();
        return switch (call.getClassName() + "." + call.getMethodName()) {
            case "outbox.migration.Mailer.confirm" -> new MailRequested((String) arguments[0], (String) arguments[1]);
            default -> throw new IllegalStateException("There is no event for " + call + "; nothing was carried over");
        };
    }
}
// end
