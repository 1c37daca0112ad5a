package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static outbox.spring.boot.tests.Apps.app;
import static outbox.spring.boot.tests.Apps.inTransaction;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.EventListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.Externalized;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;
import outbox.domain.DomainEventPublisher;
import outbox.domain.EventName;
import outbox.domain.handler.EventHandler;
import outbox.domain.type.EventTypes;
import outbox.spring.boot.SpringEventSelector;
import outbox.spring.boot.tests.Apps.Mailer;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** Events that are published with Spring's own publisher. */
class SpringEventsTest {
    @EventName(value = "parcel.sent", version = 3)
    record ParcelSent(String parcel) {}

    @Externalized("parcels")
    record ParcelLost(String parcel) {}

    record ParcelSeen(String parcel) {}

    /** Handles every kind of event above, and the one that no annotation marks. */
    static class Depot {
        final List<Object> seen = new CopyOnWriteArrayList<>();

        @EventHandler(name = "sent")
        void on(ParcelSent event) {
            seen.add(event);
        }

        @EventHandler(name = "lost")
        void on(ParcelLost event) {
            seen.add(event);
        }

        @EventHandler(name = "seen")
        void on(ParcelSeen event) {
            seen.add(event);
        }
    }

    /** The listeners an application has anyway. */
    static class SpringListeners {
        final List<String> calls = new CopyOnWriteArrayList<>();

        @EventListener
        void at(OrderPlaced event) {
            calls.add("at once " + event.orderId());
        }

        @TransactionalEventListener
        void after(OrderPlaced event) {
            calls.add("after commit " + event.orderId());
        }
    }

    private static List<String> types(ApplicationContext context) {
        return context.getBean(JdbcTemplate.class)
                .queryForList("SELECT event_type FROM outbox_event ORDER BY event_id", String.class);
    }

    @Test
    void aDomainEventIsStoredWithTheTransactionAndDelivered() {
        app(Mailer.class).run(context -> {
            inTransaction(context, () -> {
                context.publishEvent(new OrderPlaced("1"));
                assertThat(types(context)).as("in the same transaction").containsExactly("order.placed");
            });
            await().untilAsserted(() ->
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("1"));
        });
    }

    @Test
    void aRolledBackTransactionTakesItAway() {
        app(Mailer.class).run(context -> {
            assertThatThrownBy(() -> inTransaction(context, () -> {
                        context.publishEvent(new OrderPlaced("1"));
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");

            assertThat(types(context)).isEmpty();
        });
    }

    @Test
    void anObjectWithAnEventNameIsAnEventToo() {
        app(Depot.class).run(context -> {
            inTransaction(context, () -> context.publishEvent(new ParcelSent("p-1")));

            await().untilAsserted(
                            () -> assertThat(context.getBean(Depot.class).seen).containsExactly(new ParcelSent("p-1")));
            assertThat(types(context)).containsExactly("parcel.sent");
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("SELECT CAST(headers AS VARCHAR) FROM outbox_event", String.class))
                    .contains("eventVersion")
                    .contains("3");
        });
    }

    @Test
    void anExternalizedObjectIsAnEventWhereSpringModulithDoesNotSendIt() {
        app(Depot.class).run(context -> {
            inTransaction(context, () -> context.publishEvent(new ParcelLost("p-1")));

            await().untilAsserted(
                            () -> assertThat(context.getBean(Depot.class).seen).containsExactly(new ParcelLost("p-1")));
            assertThat(types(context)).containsExactly(ParcelLost.class.getName());
        });
    }

    @Test
    void otherObjectsAreLeftToSpring() {
        app(Depot.class).run(context -> {
            inTransaction(context, () -> {
                context.publishEvent(new ParcelSeen("p-1"));
                context.publishEvent("text");
            });
            assertThat(types(context)).isEmpty();
        });
    }

    @Test
    void aSelectorAddsOthersIfTheirClassIsRegistered() {
        SpringEventSelector seen = event -> event instanceof ParcelSeen || event instanceof String;
        EventTypes types = EventTypes.builder()
                .register("parcel.seen", ParcelSeen.class)
                .register(ParcelSent.class, ParcelLost.class)
                .build();
        app(Depot.class)
                .withBean(SpringEventSelector.class, () -> seen)
                .withBean(EventTypes.class, () -> types)
                .run(context -> {
                    inTransaction(context, () -> context.publishEvent(new ParcelSeen("p-1")));

                    await().untilAsserted(() ->
                            assertThat(context.getBean(Depot.class).seen).containsExactly(new ParcelSeen("p-1")));
                    assertThatThrownBy(() -> inTransaction(context, () -> context.publishEvent("text")))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("java.lang.String is no event type")
                            .hasMessageContaining("@EventName");
                });
    }

    @Test
    void withoutATransactionItIsRefusedInTheWordsOfTheWriter() {
        app(Mailer.class, SpringListeners.class).run(context -> {
            Throwable byWriter = catchThrowable(
                    () -> context.getBean(DomainEventPublisher.class).publish(new OrderPlaced("1")));

            assertThatThrownBy(() -> context.publishEvent(new OrderPlaced("1")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no transaction is active")
                    .hasMessage(byWriter.getMessage());
            assertThat(types(context)).isEmpty();
            assertThat(context.getBean(SpringListeners.class).calls)
                    .as("a refused event reaches nobody")
                    .isEmpty();
        });
    }

    @Test
    void listenersOfSpringAreCalledAsEver() {
        app(Mailer.class, SpringListeners.class).run(context -> {
            SpringListeners listeners = context.getBean(SpringListeners.class);
            inTransaction(context, () -> {
                context.publishEvent(new OrderPlaced("1"));
                assertThat(listeners.calls).containsExactly("at once 1");
            });

            assertThat(listeners.calls).containsExactly("at once 1", "after commit 1");
            await().untilAsserted(() ->
                    assertThat(context.getBean(Mailer.class).mails).containsExactly("1"));
        });
    }

    @Test
    void listenersOnOtherThreadsDoNotTakeItOutOfItsTransaction() {
        app(Mailer.class)
                .withBean(
                        AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME,
                        SimpleApplicationEventMulticaster.class,
                        () -> {
                            SimpleApplicationEventMulticaster multicaster = new SimpleApplicationEventMulticaster();
                            multicaster.setTaskExecutor(new SimpleAsyncTaskExecutor());
                            return multicaster;
                        })
                .run(context -> {
                    inTransaction(context, () -> context.publishEvent(new OrderPlaced("1")));
                    assertThat(types(context)).containsExactly("order.placed");
                });
    }

    @Test
    void anObjectThatComesFromBothPublishersIsOneEvent() {
        app(Mailer.class).withPropertyValues("outbox.mode=writer-only").run(context -> {
            DomainEventPublisher publisher = context.getBean(DomainEventPublisher.class);
            inTransaction(context, () -> {
                OrderPlaced first = new OrderPlaced("1");
                publisher.publish(first);
                context.publishEvent(first);
                ParcelSent second = new ParcelSent("p-1");
                context.publishEvent(second);
                publisher.publish(second);
                context.publishEvent(second);
                context.publishEvent(new ParcelSent("p-1")); // equal, and another event
            });
            assertThat(types(context)).containsExactlyInAnyOrder("order.placed", "parcel.sent", "parcel.sent");
        });
    }

    @Test
    void anEventThatWentWithASavepointCanBePublishedAgain() {
        app(Mailer.class).withPropertyValues("outbox.mode=writer-only").run(context -> {
            OrderPlaced event = new OrderPlaced("1");
            TransactionTemplate nested = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            inTransaction(context, () -> {
                assertThatThrownBy(() -> nested.executeWithoutResult(status -> {
                            context.publishEvent(event);
                            throw new IllegalStateException("no");
                        }))
                        .hasMessage("no");
                assertThat(types(context)).isEmpty();
                context.publishEvent(event);
            });
            assertThat(types(context)).containsExactly("order.placed");
        });
    }

    @Test
    void aSuspendedTransactionRemembersWhatItPublished() {
        app(Mailer.class).withPropertyValues("outbox.mode=writer-only").run(context -> {
            ParcelSent outer = new ParcelSent("outer");
            TransactionTemplate another = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            inTransaction(context, () -> {
                context.publishEvent(outer);
                another.executeWithoutResult(status -> context.publishEvent(outer)); // a transaction of its own
                context.publishEvent(outer);
            });
            assertThat(types(context)).containsExactly("parcel.sent", "parcel.sent");
        });
    }

    /** Passes on to Spring's listeners what it handles. */
    static class Republisher {
        final ApplicationEventPublisher publisher;
        final List<String> handled = new CopyOnWriteArrayList<>();

        Republisher(ApplicationEventPublisher publisher) {
            this.publisher = publisher;
        }

        @EventHandler(name = "republish order", transactional = true)
        void on(OrderPlaced event) {
            handled.add(event.orderId());
            publisher.publishEvent(event);
        }

        @EventHandler(name = "republish parcel", transactional = true)
        void on(ParcelSent event) {
            handled.add(event.parcel());
            publisher.publishEvent(event);
            if (event.parcel().equals("p-1")) {
                publisher.publishEvent(new ParcelSent("p-2")); // another event
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"transactional", "in-memory"})
    void whatAHandlerPublishesAgainIsNotWrittenAgain(String publisher) {
        app(Republisher.class, SpringListeners.class)
                .withPropertyValues("outbox.publisher=" + publisher)
                .run(context -> {
                    List<String> handled = context.getBean(Republisher.class).handled;
                    inTransaction(context, () -> {
                        context.publishEvent(new OrderPlaced("1"));
                        context.publishEvent(new ParcelSent("p-1"));
                    });
                    await().untilAsserted(() -> assertThat(handled).containsExactlyInAnyOrder("1", "p-1", "p-2"));
                    await().untilAsserted(() -> assertThat(context.getBean(SpringListeners.class).calls)
                            .filteredOn("at once 1"::equals)
                            .as("from the service and from the handler")
                            .hasSize(2));
                    if (publisher.equals("transactional")) {
                        await().untilAsserted(() -> assertThat(context.getBean(JdbcTemplate.class)
                                        .queryForList("SELECT status FROM outbox_event", Integer.class))
                                .containsExactly(1, 1, 1));
                    }
                });
    }

    @Test
    void itCanBeSwitchedOff() {
        app(Mailer.class)
                .withPropertyValues("outbox.spring-events.enabled=false")
                .run(context -> {
                    inTransaction(context, () -> context.publishEvent(new OrderPlaced("1")));
                    context.publishEvent(new OrderPlaced("2"));
                    assertThat(types(context)).isEmpty();
                });
    }
}
