package outbox.spring.boot.tests;

import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEvent;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.ControlCenterApps.LoginForm;
import outbox.spring.boot.tests.ControlCenterApps.OrderPlaced;
import outbox.spring.boot.tests.ControlCenterApps.Plain;

/** Serves the control center and sends heartbeats; delivers an event, reads it over HTTP and ends. Run by {@link AotControlIT}. */
@Configuration(proxyBeanMethods = false)
@Import({Plain.class, LoginForm.class, AotControlApp.Mailer.class})
public class AotControlApp {
    static final String SERVED = "the control center shows ";
    static final String TOKEN = "0123456789abcdef0123456789abcdef";

    static class Mailer {
        final CountDownLatch called = new CountDownLatch(1);

        @EventHandler(name = "mailer")
        void on(OrderPlaced event) {
            called.countDown();
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (ConfigurableApplicationContext context = ControlCenterApps.start(
                List.of(AotControlApp.class),
                "outbox.control-center.tokens.ci.secret=" + TOKEN,
                "outbox.control-center.tokens.ci.role=viewer")) {
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(
                            status -> context.publishEvent(new OrderPlaced(DomainEvent.newId(), Instant.now(), "1")));
            if (!context.getBean(Mailer.class).called.await(2, TimeUnit.MINUTES)) {
                throw new IllegalStateException("the event was not delivered");
            }
            HttpResponse<String> events = ControlCenterApps.send(
                    context, "GET", "/api/v1/apps/outbox/events", null, "Authorization", "Bearer " + TOKEN);
            System.out.println(SERVED + events.statusCode() + " " + events.body());
        }
    }
}
