package outbox.spring.boot.idempotent;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.CompletableFuture;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import outbox.idempotency.http.Idempotent;
import outbox.spring.boot.idempotent.MvcShop.Booked;
import outbox.spring.boot.idempotent.MvcShop.Declined;
import outbox.spring.boot.idempotent.MvcShop.Wanted;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** An application on Netty. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({WebFluxShop.Bookings.class, WebFluxShop.Netty.class})
class WebFluxShop {
    /** Tomcat is on the class path too; the class of Netty's factory moved between Boot 3 and 4. */
    static class Netty implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            String boot3 = "org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory";
            String boot4 = "org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory";
            ClassLoader loader = WebFluxShop.class.getClassLoader();
            registry.registerBeanDefinition(
                    "netty",
                    new RootBeanDefinition(
                            ClassUtils.resolveClassName(ClassUtils.isPresent(boot4, loader) ? boot4 : boot3, loader)));
        }
    }

    @Bean
    Ledger ledger(JdbcTemplate jdbc, PlatformTransactionManager transactions) {
        return new Ledger(jdbc, transactions);
    }

    @Bean
    MeterRegistry meters() {
        return new SimpleMeterRegistry();
    }

    @Bean
    SecurityWebFilterChain security(ServerHttpSecurity http) {
        return http.csrf(csrf -> csrf.disable())
                .authorizeExchange(exchanges -> exchanges.anyExchange().permitAll())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    MapReactiveUserDetailsService users() {
        return new MapReactiveUserDetailsService(
                User.withUsername("ann").password("{noop}pw").build(),
                User.withUsername("bob").password("{noop}pw").build());
    }

    @RestController
    static class Bookings {
        private final Ledger ledger;

        Bookings(Ledger ledger) {
            this.ledger = ledger;
        }

        private ResponseEntity<Booked> book(String item) throws InterruptedException {
            String id = ledger.book(item);
            ledger.disturb(item);
            return ResponseEntity.status(HttpStatus.CREATED)
                    .header("Location", "/bookings/" + id)
                    .header("Set-Cookie", "session=secret")
                    .eTag("\"" + id + "\"")
                    .body(new Booked(id, item));
        }

        @PostMapping("/bookings")
        @CrossOrigin(origins = {"https://one.example", "https://two.example"})
        @Idempotent(atomic = false)
        Mono<ResponseEntity<Booked>> mono(@RequestBody Mono<Wanted> wanted) {
            return wanted.flatMap(
                    it -> Mono.fromCallable(() -> book(it.item())).subscribeOn(Schedulers.boundedElastic()));
        }

        @PostMapping("/future")
        @Idempotent(atomic = false)
        CompletableFuture<ResponseEntity<Booked>> future(@RequestBody Wanted wanted) {
            return CompletableFuture.supplyAsync(() -> {
                try {
                    return book(wanted.item());
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
        }

        @PostMapping("/declined")
        @Idempotent(atomic = false)
        Mono<Booked> declined(@RequestBody Wanted wanted) {
            return Mono.fromRunnable(() -> ledger.book(wanted.item()))
                    .subscribeOn(Schedulers.boundedElastic())
                    .then(Mono.error(new Declined()));
        }

        @PostMapping("/status/{status}")
        @Idempotent(atomic = false)
        Mono<Booked> status(@PathVariable int status, @RequestBody Wanted wanted) {
            return Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(status), "as asked"));
        }

        @PostMapping("/empty")
        @Idempotent(atomic = false)
        Mono<Void> empty(@RequestBody Wanted wanted, ServerWebExchange exchange) {
            exchange.getResponse().setStatusCode(HttpStatus.NO_CONTENT);
            exchange.getResponse().getHeaders().add("X-Empty", "yes");
            return Mono.fromRunnable(() -> ledger.book(wanted.item()))
                    .subscribeOn(Schedulers.boundedElastic())
                    .then();
        }

        @PostMapping("/large")
        @Idempotent(atomic = false)
        Mono<String> large(@RequestBody Wanted wanted, @RequestParam int bytes) {
            return Mono.fromCallable(() -> ledger.book(wanted.item()))
                    .subscribeOn(Schedulers.boundedElastic())
                    .map(id -> "x".repeat(bytes));
        }

        @PostMapping("/form")
        @Idempotent(atomic = false)
        Mono<Booked> form(ServerWebExchange exchange) {
            return exchange.getFormData()
                    .map(MultiValueMap::toSingleValueMap)
                    .flatMap(form -> Mono.fromCallable(
                                    () -> new Booked(ledger.book(form.get("item")), form.get("item")))
                            .subscribeOn(Schedulers.boundedElastic()));
        }

        @PostMapping("/by-body")
        @Idempotent(key = "body('item')", tenant = "header('X-Tenant')", atomic = false)
        Mono<Booked> byBody(@RequestBody Wanted wanted) {
            return Mono.fromCallable(() -> new Booked(ledger.book(wanted.item()), wanted.item()))
                    .subscribeOn(Schedulers.boundedElastic());
        }

        @PostMapping("/plain")
        Mono<Booked> plain(@RequestBody Wanted wanted) {
            return Mono.fromCallable(() -> new Booked(ledger.book(wanted.item()), wanted.item()))
                    .subscribeOn(Schedulers.boundedElastic());
        }

        @ExceptionHandler
        ResponseEntity<ProblemDetail> declined(Declined e) {
            return ResponseEntity.status(HttpStatus.PAYMENT_REQUIRED)
                    .header("X-Reason", "card")
                    .body(ProblemDetail.forStatusAndDetail(HttpStatus.PAYMENT_REQUIRED, "card declined"));
        }
    }
}
