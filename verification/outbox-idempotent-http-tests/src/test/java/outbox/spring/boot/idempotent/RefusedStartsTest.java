package outbox.spring.boot.idempotent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import outbox.idempotency.http.Idempotent;
import outbox.testing.server.EmbeddedH2;
import outbox.testing.server.TestDatabase;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What cannot work fails the start, and says what to do. */
class RefusedStartsTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}

    private static final String[] COMMON = {"outbox.schema.mode=always"};

    private static WebApplicationContextRunner servlet(Class<?> controller, String... settings) {
        TestDatabase database = EmbeddedH2.shared().freshDatabase();
        return new WebApplicationContextRunner()
                .withUserConfiguration(App.class)
                .withBean(controller)
                .withPropertyValues(COMMON)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password())
                .withPropertyValues(settings);
    }

    private static String failure(Class<?> controller, String... settings) {
        String[] message = new String[1];
        servlet(controller, settings).run(context -> {
            assertThat(context).hasFailed();
            message[0] = NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure())
                    .getMessage();
        });
        return String.valueOf(message[0]);
    }

    private static String reactiveFailure(Class<?> controller) {
        TestDatabase database = EmbeddedH2.shared().freshDatabase();
        String[] message = new String[1];
        new ReactiveWebApplicationContextRunner()
                .withUserConfiguration(App.class)
                .withBean(controller)
                .withPropertyValues(COMMON)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password())
                .run(context -> {
                    assertThat(context).hasFailed();
                    message[0] = NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure())
                            .getMessage();
                });
        return String.valueOf(message[0]);
    }

    @RestController
    static class Good {
        @PostMapping("/x")
        @Idempotent
        String x() {
            return "x";
        }
    }

    @RestController
    static class Streaming {
        @PostMapping("/x")
        @Idempotent(atomic = false)
        ResponseEntity<StreamingResponseBody> x() {
            return ResponseEntity.ok(out -> {});
        }
    }

    @RestController
    static class Emitting {
        @PostMapping("/x")
        @Idempotent(atomic = false)
        SseEmitter x() {
            return new SseEmitter();
        }
    }

    @RestController
    static class Flowing {
        @PostMapping("/x")
        @Idempotent(atomic = false)
        Flux<String> x() {
            return Flux.just("x");
        }
    }

    @RestController
    static class Asynchronous {
        @PostMapping("/x")
        @Idempotent
        Callable<String> x() {
            return () -> "x";
        }
    }

    @RestController
    static class Reactive {
        @PostMapping("/x")
        @Idempotent
        Mono<String> x() {
            return Mono.just("x");
        }
    }

    @RestController
    static class Reading {
        @GetMapping("/x")
        @Idempotent
        String x() {
            return "x";
        }
    }

    @RestController
    static class Misspelled {
        @PostMapping("/x")
        @Idempotent(key = "header('X'")
        String x() {
            return "x";
        }
    }

    @RestController
    static class WrongTime {
        @PostMapping("/x")
        @Idempotent(ttl = "-1s")
        String x() {
            return "x";
        }
    }

    @RestController
    @Idempotent
    static class WholeClass {
        @GetMapping("/x")
        Flux<String> read() {
            return Flux.empty();
        }
    }

    @Test
    void streamsCannotBeStored() {
        for (Class<?> controller : List.of(Streaming.class, Emitting.class, Flowing.class)) {
            assertThat(failure(controller)).contains("@Idempotent on ", "#x", "stream");
        }
        assertThat(reactiveFailure(Flowing.class)).contains("stream");
    }

    @Test
    void whatAnswersOnAnotherThreadIsNotAtomic() {
        assertThat(failure(Asynchronous.class)).contains("asynchronously", "atomic = false");
        assertThat(failure(Reactive.class)).contains("asynchronously", "atomic = false");
        assertThat(reactiveFailure(Reactive.class)).contains("WebFlux", "atomic = false");
        assertThat(reactiveFailure(Good.class)).contains("WebFlux", "atomic = false");
    }

    @Test
    void anAnnotationWithoutEffectIsRefused() {
        assertThat(failure(Reading.class)).contains("no effect on [GET]");
    }

    @Test
    void expressionsAndTimesAreReadAtTheStart() {
        assertThat(failure(Misspelled.class)).contains("#x", "expression cannot be read");
        assertThat(failure(WrongTime.class)).contains("#x", "ttl must be positive");
    }

    @Test
    void anOutboxAndItsTableAreRequired() {
        assertThat(failure(Good.class, "outbox.enabled=false")).contains("needs an outbox", "http.enabled=false");
        assertThat(failure(Good.class, "outbox.schema.mode=never")).contains("outbox_idempotency does not exist");
        servlet(Good.class, "outbox.enabled=false", "outbox.idempotency.http.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void ofSeveralOutboxesOneIsChosen() {
        String[] two = {
            "outbox.instances.orders.data-source=dataSource",
            "outbox.instances.billing.data-source=dataSource",
            "outbox.instances.billing.table=billing_event",
            "outbox.instances.billing.consumption-table=billing_consumption"
        };
        WebApplicationContextRunner both = servlet(Good.class, two);
        assertThat(failure(Good.class, two)).contains("several outboxes", "outbox.idempotency.http.instance");
        both.withPropertyValues("outbox.idempotency.http.instance=sales")
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining("there is no such instance"));
        both.withPropertyValues("outbox.idempotency.http.instance=billing")
                .run(context -> assertThat(context).hasNotFailed());
        both.withPropertyValues("outbox.instances.orders.primary=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lease=10ms",
                "retry-after=0s",
                "max-answer-size=9MB",
                "max-answer-size=0B",
                "max-request-size=-1B"
            })
    void limitsAreChecked(String setting) {
        servlet(Good.class, "outbox.idempotency.http." + setting).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("outbox.idempotency.http." + setting.replaceAll("=.*", ""));
        });
    }

    abstract static class Crud {
        @PostMapping
        String create() {
            return "created";
        }
    }

    @RestController
    @RequestMapping("/a")
    @Idempotent
    static class A extends Crud {}

    @RestController
    @RequestMapping("/b")
    static class B extends Crud {}

    @Test
    void anInheritedMethodHasTheAnnotationOfItsClassAlone() throws Exception {
        IdempotentEndpoints endpoints =
                new IdempotentEndpoints(new IdempotentHttpProperties(), new StandardEnvironment());
        HandlerMethod inA = new HandlerMethod(new A(), Crud.class.getDeclaredMethod("create"));
        HandlerMethod inB = new HandlerMethod(new B(), Crud.class.getDeclaredMethod("create"));
        assertThat(endpoints.of(inA)).isNotNull();
        assertThat(endpoints.of(inB)).isNull();
        assertThat(endpoints.of(inA)).isSameAs(endpoints.of(inA)).isNotNull();
    }

    @Test
    void whatIsGoodStarts() {
        servlet(Good.class).run(context -> assertThat(context).hasNotFailed());
        servlet(WholeClass.class).run(context -> assertThat(context).hasNotFailed());
    }
}
