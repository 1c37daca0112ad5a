package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import outbox.spring.boot.tests.ControlCenterApps.Plain;

/** The page is a servlet: a reactive application is told where to have it instead. */
class ReactiveControlCenterTest {
    private static final ReactiveWebApplicationContextRunner REACTIVE = new ReactiveWebApplicationContextRunner()
            .withUserConfiguration(Plain.class)
            .withPropertyValues(
                    "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                    "spring.flyway.enabled=false",
                    "spring.liquibase.enabled=false");

    @Test
    void theLogSaysWhyThereIsNoPage() {
        Logger logger = Logger.getLogger("outbox.spring.boot.ControlCenterAutoConfiguration");
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            REACTIVE.run(context -> assertThat(context).hasNotFailed());
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(lines)
                .anyMatch(line -> line.contains("the outbox control center is not served: it is a servlet, and this"
                        + " application is reactive. Run outbox-control-center-server beside it"));
    }

    @Test
    void alertsOfAPageThatIsNotServedAreRefused() {
        REACTIVE.withPropertyValues("outbox.control-center.alerts.mail.host=mail.example.com")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining(
                                "no control center is served and so no alert is sent: it is a servlet"));
    }
}
