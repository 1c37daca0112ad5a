package outbox.spring.boot.tests;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.javapoet.ClassName;
import org.springframework.jdbc.support.JdbcTransactionManager;
import outbox.domain.handler.EventHandler;
import outbox.spring.boot.tests.Apps.OrderPlaced;

/** What a native image is told to keep. No native image is built here. */
class RuntimeHintsTest {
    private static <T> T ours(Class<T> type) {
        return AotServices.factories().load(type).stream()
                .filter(service -> service.getClass().getName().startsWith("outbox."))
                .findFirst()
                .orElseThrow();
    }

    private static RuntimeHints registered() {
        RuntimeHints hints = new RuntimeHints();
        ours(RuntimeHintsRegistrar.class).registerHints(hints, RuntimeHintsTest.class.getClassLoader());
        return hints;
    }

    /** The newer method is not there in Spring Framework 6. */
    @SuppressWarnings("removal")
    private static Predicate<RuntimeHints> invocationOf(Method method) {
        return RuntimeHintsPredicates.reflection().onMethod(method).invoke();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox/schema/h2.sql",
                "outbox/schema/lease.sql",
                "outbox/migration/postgresql/V20261101000001__outbox_event.sql",
                "outbox/migration/ordered-mysql/V20261101000008__outbox_event_seq.sql",
                "outbox/idempotency/migration/mariadb/V20261101000002__outbox_consumption.sql",
                "outbox/liquibase/outbox-event.xml",
                "outbox/idempotency/liquibase/outbox-idempotency.xml"
            })
    void ddlAndMigrationsAreKept(String resource) {
        assertThat(getClass().getClassLoader().getResource(resource)).isNotNull();
        assertThat(RuntimeHintsPredicates.resource().forResource(resource)).accepts(registered());
    }

    @Test
    void classesAreNotKeptAsResources() {
        assertThat(RuntimeHintsPredicates.resource().forResource("outbox/Outbox.class"))
                .rejects(registered());
    }

    @Test
    void theGettersThatAreCalledByNameAreKept() throws NoSuchMethodException {
        assertThat(invocationOf(JdbcTransactionManager.class.getMethod("getDataSource")))
                .accepts(registered());
        assertThat(invocationOf(HikariDataSource.class.getMethod("getUsername")))
                .accepts(registered());
    }

    record Parcel(String id) {}

    static class Depot {
        @EventHandler(name = "one")
        void on(OrderPlaced event) {}

        @EventHandler(name = "several")
        void on(List<Parcel> events) {}

        void somethingElse(Object event) {}
    }

    private static BeanRegistrationAotContribution contributionTo(Class<?> bean) {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("bean", new RootBeanDefinition(bean));
        return ours(BeanRegistrationAotProcessor.class).processAheadOfTime(RegisteredBean.of(beans, "bean"));
    }

    @Test
    void handlerMethodsAndTheirEventsAreKept() throws NoSuchMethodException {
        DefaultGenerationContext context = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get(RuntimeHintsTest.class)), new InMemoryGeneratedFiles());
        Objects.requireNonNull(contributionTo(Depot.class)).applyTo(context, null);

        RuntimeHints hints = context.getRuntimeHints();
        assertThat(invocationOf(Depot.class.getDeclaredMethod("on", OrderPlaced.class)))
                .accepts(hints);
        assertThat(invocationOf(Depot.class.getDeclaredMethod("on", List.class)))
                .accepts(hints);
        assertThat(invocationOf(Depot.class.getDeclaredMethod("somethingElse", Object.class)))
                .rejects(hints);
        assertThat(invocationOf(OrderPlaced.class.getDeclaredMethod("orderId"))).accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(Parcel.class)).accepts(hints);
    }

    @Test
    void otherBeansAreLeftAlone() {
        assertThat(contributionTo(Parcel.class)).isNull();
    }
}
