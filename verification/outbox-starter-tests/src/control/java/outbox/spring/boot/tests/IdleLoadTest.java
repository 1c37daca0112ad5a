package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;
import outbox.testing.server.EmbeddedPostgres;
import outbox.testing.server.TestDatabase;

/** What an application with the page asks of its database while nothing happens and nobody looks. */
@Tag("any-boot")
@Timeout(600)
class IdleLoadTest {
    private static final double STATEMENTS_A_SECOND = 2;
    private static final int HEARTBEATS = 6;

    static class Handlers {
        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {}
    }

    static class Counted {
        @Bean
        static CountedStatements countedStatements() {
            return new CountedStatements();
        }
    }

    private static long heartbeats(CountedStatements statements) {
        return statements.sent().stream()
                .filter(sql -> sql.startsWith("UPDATE outbox_node "))
                .count();
    }

    /** A slow machine sends fewer statements in a second, never more. */
    @Test
    void anIdleApplicationWithAPageNobodyLooksAtAsksTwoThingsASecondAtMost() {
        TestDatabase database = EmbeddedPostgres.shared().freshDatabase(); // where a claim is one statement
        try (ConfigurableApplicationContext context = ControlCenterApps.start(
                List.of(Plain.class, LoginForm.class, Handlers.class, Counted.class),
                "spring.datasource.url=" + database.jdbcUrl(),
                "spring.datasource.username=" + database.username(),
                "spring.datasource.password=" + database.password(),
                "outbox.schema.mode=always")) {
            CountedStatements statements = context.getBean(CountedStatements.class);
            await().atMost(Duration.ofMinutes(2)).until(() -> heartbeats(statements) >= 2); // the start is over
            List<String> before = statements.sent();
            long beats = heartbeats(statements);
            long began = System.nanoTime();

            await().atMost(Duration.ofMinutes(5)).until(() -> heartbeats(statements) >= beats + HEARTBEATS);

            double seconds = (System.nanoTime() - began) / 1e9;
            List<String> sent =
                    statements.sent().subList(before.size(), statements.sent().size());
            Map<String, Long> counts =
                    sent.stream().collect(Collectors.groupingBy(sql -> sql, TreeMap::new, Collectors.counting()));
            assertThat(sent.size() / seconds)
                    .as("in %.1f s: %s", seconds, counts)
                    .isLessThanOrEqualTo(STATEMENTS_A_SECOND);
        }
    }
}
