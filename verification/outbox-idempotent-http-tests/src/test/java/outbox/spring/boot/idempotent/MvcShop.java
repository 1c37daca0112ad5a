package outbox.spring.boot.idempotent;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import outbox.idempotency.http.Idempotent;

/** An application on Tomcat. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(MvcShop.Bookings.class)
class MvcShop {
    /** The work of one process that dies. */
    static final String DEADLY = "deadly";

    /** Set in the process that does not die. */
    static final String SURVIVES = "test.survives";

    static final int EXIT = 42;

    @Bean
    Ledger ledger(JdbcTemplate jdbc, PlatformTransactionManager transactions) {
        return new Ledger(jdbc, transactions);
    }

    @Bean
    MeterRegistry meters() {
        return new SimpleMeterRegistry();
    }

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.csrf(csrf -> csrf.disable())
                .cors(Customizer.withDefaults())
                .authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("ann").password("{noop}pw").build(),
                User.withUsername("bob").password("{noop}pw").build());
    }

    /** What no exception handler can answer, not even by leaving it alone. */
    static class Unanswerable extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Bean
    WebMvcConfigurer failingResolver() {
        return new WebMvcConfigurer() {
            @Override
            public void extendHandlerExceptionResolvers(List<HandlerExceptionResolver> resolvers) {
                resolvers.add(0, (request, response, handler, exception) -> {
                    if (exception instanceof Unanswerable) {
                        throw new IllegalStateException("the resolver failed", exception);
                    }
                    return null;
                });
            }
        };
    }

    record Wanted(String item) {}

    record Booked(String id, String item) {}

    static class Declined extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @RestController
    static class Bookings {
        private final Ledger ledger;

        Bookings(Ledger ledger) {
            this.ledger = ledger;
        }

        private ResponseEntity<Booked> book(String item) throws InterruptedException {
            String id = ledger.book(item);
            if (item.startsWith(DEADLY) && !Boolean.getBoolean(SURVIVES)) {
                Runtime.getRuntime().halt(EXIT);
            }
            ledger.disturb(item);
            if (ledger.unavailable.remove(item)) {
                return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE).build();
            }
            return ResponseEntity.status(HttpStatus.CREATED)
                    .header("Location", "/bookings/" + id)
                    .header("X-Receipt", "r-" + id)
                    .header("Set-Cookie", "session=secret")
                    .eTag("\"" + id + "\"")
                    .body(new Booked(id, item));
        }

        @PostMapping("/bookings")
        @CrossOrigin(origins = {"https://one.example", "https://two.example"})
        @Idempotent
        ResponseEntity<Booked> atomic(@RequestBody Wanted wanted) throws InterruptedException {
            return book(wanted.item());
        }

        @PostMapping("/separate")
        @Idempotent(atomic = false)
        ResponseEntity<Booked> separate(@RequestBody Wanted wanted) throws InterruptedException {
            return book(wanted.item());
        }

        @PostMapping("/callable")
        @Idempotent(atomic = false)
        Callable<ResponseEntity<Booked>> callable(@RequestBody Wanted wanted) {
            return () -> book(wanted.item());
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

        @PostMapping("/deferred")
        @Idempotent(atomic = false)
        DeferredResult<ResponseEntity<Booked>> deferred(@RequestBody Wanted wanted) {
            DeferredResult<ResponseEntity<Booked>> result = new DeferredResult<>();
            CompletableFuture<?> unused = CompletableFuture.runAsync(() -> {
                try {
                    result.setResult(book(wanted.item()));
                } catch (Exception e) {
                    result.setErrorResult(e);
                }
            });
            return result;
        }

        /** What the check at the start cannot see. */
        @PostMapping("/hidden-async")
        @Idempotent
        Object hidden(@RequestBody Wanted wanted) {
            Callable<ResponseEntity<Booked>> work = () -> book(wanted.item());
            ledger.book(wanted.item());
            return work;
        }

        @PostMapping("/declined")
        @Idempotent
        Booked declined(@RequestBody Wanted wanted) {
            ledger.insert(wanted.item());
            throw new Declined();
        }

        @PostMapping("/status/{status}")
        @Idempotent
        Booked status(@PathVariable int status, @RequestBody Wanted wanted) {
            ledger.insert(wanted.item());
            throw new ResponseStatusException(HttpStatusCode.valueOf(status), "as asked");
        }

        @PostMapping("/large")
        @Idempotent
        String large(@RequestBody Wanted wanted, @RequestParam int bytes) {
            ledger.book(wanted.item());
            return "x".repeat(bytes);
        }

        @PostMapping("/written")
        @Idempotent
        void written(@RequestBody Wanted wanted, HttpServletResponse response) throws IOException {
            ledger.book(wanted.item());
            response.setContentType("text/plain;charset=utf-8");
            response.getWriter().write("gebucht: " + wanted.item() + " für 5 €");
            response.flushBuffer();
        }

        @PostMapping("/moved")
        @Idempotent
        void moved(@RequestBody Wanted wanted, HttpServletResponse response) throws IOException {
            response.sendRedirect("/bookings/" + ledger.book(wanted.item()));
        }

        /** Tomcat ends the response of a forward. */
        @PostMapping("/forwarded")
        @Idempotent
        ModelAndView forwarded(@RequestParam String item) {
            ledger.insert(item);
            return new ModelAndView("forward:/inner");
        }

        @PostMapping("/inner")
        Booked inner(@RequestParam String item) {
            return new Booked(ledger.insert(item), item);
        }

        @PostMapping("/form")
        @Idempotent
        Booked form(@RequestParam String item) {
            return new Booked(ledger.book(item), item);
        }

        @PostMapping("/upload")
        @Idempotent
        Booked upload(@RequestParam MultipartFile file) throws IOException {
            String item = new String(file.getBytes(), StandardCharsets.UTF_8);
            return new Booked(ledger.book(item), item);
        }

        @PostMapping("/orders/{order}/ship")
        @Idempotent(key = "path('order')", scope = "shipping", tenant = "header('X-Tenant')")
        Booked ship(@PathVariable String order) {
            return new Booked(ledger.book(order), order);
        }

        @PostMapping("/by-body")
        @Idempotent(key = "body('item')", ttl = "${shipping.ttl:2d}")
        Booked byBody(@RequestBody Wanted wanted) {
            return new Booked(ledger.book(wanted.item()), wanted.item());
        }

        @PostMapping("/optional")
        @Idempotent(required = false)
        Booked optional(@RequestBody Wanted wanted) {
            return new Booked(ledger.book(wanted.item()), wanted.item());
        }

        @PostMapping("/plain")
        Booked plain(@RequestBody Wanted wanted) {
            return new Booked(ledger.book(wanted.item()), wanted.item());
        }

        @ExceptionHandler
        ResponseEntity<ProblemDetail> declined(Declined e) {
            return ResponseEntity.status(HttpStatus.PAYMENT_REQUIRED)
                    .header("X-Reason", "card")
                    .body(ProblemDetail.forStatusAndDetail(HttpStatus.PAYMENT_REQUIRED, "card declined"));
        }

        @ExceptionHandler
        ResponseEntity<Map<String, String>> refused(DataIntegrityViolationException e) {
            return ResponseEntity.status(422).body(Map.of("refused", "by the database"));
        }
    }
}
