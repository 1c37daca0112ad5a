package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import outbox.OutboxWriter;
import outbox.domain.DomainEventPublisher;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** P1: handlers are found on beans of every kind, or the start says why not; none is passed over in silence. */
class HandlerBeansTest {
    private static void publish(ApplicationContext context, String order) {
        inTransaction(context, () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced(order)));
    }

    /** Spring makes a subclass of it, whose name changes. */
    @Configuration
    static class Wiring {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @Bean
        Mailer mailer() {
            return new Mailer();
        }

        @EventHandler
        void on(OrderPlaced event) {
            seen.add(event.orderId());
            if (seen.size() == 1) {
                throw new IllegalStateException("once more"); // progress is stored when there is some to remember
            }
        }
    }

    @Test
    void progressOnAConfigurationIsStoredUnderTheNameOfItsOwnClass() {
        app().withUserConfiguration(Wiring.class).run(context -> {
            publish(context, "1");
            JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
            await().untilAsserted(
                            () -> assertThat(jdbc.queryForList("SELECT handler FROM outbox_consumption", String.class))
                                    .containsExactlyInAnyOrder("mailer", "Wiring.on(OrderPlaced)"));
        });
    }

    @Test
    void aBeanThatIsMadeLateIsMadeInTime() {
        app().withBean("mailer", Mailer.class, Mailer::new, bean -> bean.setLazyInit(true))
                .run(context -> {
                    publish(context, "1");
                    await().untilAsserted(() ->
                            assertThat(context.getBean(Mailer.class).mails).containsExactly("1"));
                });
    }

    @Test
    void aBeanOfAParentContextHandlesToo() {
        try (AnnotationConfigApplicationContext parent = new AnnotationConfigApplicationContext()) {
            parent.registerBean(Mailer.class);
            parent.refresh();
            app().withParent(parent).run(context -> {
                publish(context, "1");
                await().untilAsserted(() ->
                        assertThat(parent.getBean(Mailer.class).mails).containsExactly("1"));
            });
        }
    }

    @Test
    void aBeanThatIsMadeForEachCallerFailsTheStart() {
        app().withBean("mailer", Mailer.class, Mailer::new, bean -> bean.setScope("prototype"))
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("bean 'mailer' of " + Mailer.class.getName())
                        .hasMessageContaining("is not a singleton"));
    }

    interface Notifier {}

    static class MailNotifier implements Notifier {
        @EventHandler
        void on(OrderPlaced event) {}
    }

    /** The outbox is made before the handler, of which only the interface is known then. */
    @Configuration(proxyBeanMethods = false)
    static class HandlerBehindAnInterface {
        @Bean
        List<OutboxWriter> early(OutboxWriter writer) {
            return List.of(writer);
        }

        @Bean
        Notifier notifier() {
            return new MailNotifier();
        }
    }

    @Test
    void aHandlerThatIsFoundTooLateFailsTheStartInsteadOfLeavingItsEvents() {
        app().withUserConfiguration(HandlerBehindAnInterface.class)
                .run(context -> assertThat(Apps.failureOf(context))
                        .hasMessageContaining("bean 'notifier' has @EventHandler methods")
                        .hasMessageContaining(MailNotifier.class.getName())
                        .hasMessageContaining("outbox.mode=writer-only"));
        app().withUserConfiguration(HandlerBehindAnInterface.class)
                .withPropertyValues("outbox.mode=writer-only")
                .run(context -> assertThat(context).hasNotFailed());
    }

    interface Audited {
        List<String> audited();

        @EventHandler(name = "audit")
        default void audit(OrderPlaced event) {
            audited().add(event.orderId());
        }
    }

    static class Audit implements Audited {
        private final List<String> audited = new CopyOnWriteArrayList<>();

        @Override
        public List<String> audited() {
            return audited;
        }
    }

    @Test
    void aMethodOfAnInterfaceHandlesForTheBeansThatInheritIt() {
        app(Audit.class).run(context -> {
            publish(context, "1");
            await().untilAsserted(() ->
                    assertThat(context.getBean(Audit.class).audited()).containsExactly("1"));
        });
    }
}
