package outbox.spring.boot.idempotent;

import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.Ordered;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.result.method.annotation.RequestMappingHandlerMapping;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import outbox.idempotency.IdempotencyKey;
import outbox.idempotency.http.Execution;
import outbox.idempotency.http.HttpAnswer;
import outbox.idempotency.http.IdempotentAnswers.Start;
import outbox.idempotency.http.RequestDigest;
import outbox.spring.boot.idempotent.IdempotentMetrics.Outcome;
import outbox.spring.boot.idempotent.Problem.Kind;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Decides what becomes of a request to a WebFlux controller method with {@code @Idempotent}. Innermost, so after
 * authentication. Keys are read and written on threads that may block. Thread-safe.
 */
final class IdempotentWebFilter implements WebFilter, Ordered {
    private final IdempotentHttp http;
    private final ObjectProvider<RequestMappingHandlerMapping> mappings;

    IdempotentWebFilter(IdempotentHttp http, ObjectProvider<RequestMappingHandlerMapping> mappings) {
        this.http = http;
        this.mappings = mappings;
    }

    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        if (IdempotentEndpoints.isSafe(exchange.getRequest().getMethod().name())) {
            return chain.filter(exchange);
        }
        return endpointOf(exchange)
                .flatMap(endpoint ->
                        endpoint.isPresent() ? handle(exchange, chain, endpoint.get()) : chain.filter(exchange));
    }

    private Mono<Optional<IdempotentEndpoint>> endpointOf(ServerWebExchange exchange) {
        return Flux.fromStream(mappings::orderedStream)
                .concatMap(mapping -> mapping.getHandler(exchange)
                        .onErrorResume(e -> Mono.empty())) // the dispatcher finds the same and answers
                .next()
                .map(handler -> handler instanceof HandlerMethod method
                        ? Optional.ofNullable(http.endpoints().of(method))
                        : Optional.<IdempotentEndpoint>empty())
                .defaultIfEmpty(Optional.empty());
    }

    private Mono<Void> handle(ServerWebExchange exchange, WebFilterChain chain, IdempotentEndpoint endpoint) {
        String mapping = exchange.getRequest().getMethod().name() + " "
                + exchange.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        String scope = endpoint.scopeName(mapping);
        return exchange.getPrincipal()
                .map(Principal::getName)
                .defaultIfEmpty("")
                .flatMap(principal -> received(exchange)
                        .flatMap(received -> start(exchange, chain, endpoint, mapping, principal, received)))
                .onErrorResume(Problem.class, problem -> {
                    http.count(scope, problem.kind().outcome);
                    return write(problem, exchange.getResponse());
                });
    }

    /** A body that was read, or a form that was parsed. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Received(byte[] body, Map<String, List<String>> form, boolean isForm) {}

    private Mono<Received> received(ServerWebExchange exchange) {
        String type = String.valueOf(exchange.getRequest().getHeaders().getFirst(HttpHeaders.CONTENT_TYPE))
                .toLowerCase(Locale.ROOT);
        if (type.startsWith("multipart/")) {
            return Mono.error(new Problem(
                    Kind.MULTIPART, "WebFlux cannot compare them. Send the parts in requests of their own."));
        }
        if (type.startsWith("application/x-www-form-urlencoded")) {
            return exchange.getFormData().map(form -> new Received(new byte[0], new TreeMap<>(form), true));
        }
        return DataBufferUtils.join(exchange.getRequest().getBody(), http.maxRequest())
                .map(IdempotentWebFilter::bytes)
                .onErrorMap(DataBufferLimitException.class, e -> http.bodyTooLarge())
                .defaultIfEmpty(new byte[0])
                .map(body -> new Received(body, Map.of(), false));
    }

    static byte[] bytes(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        DataBufferUtils.release(buffer);
        return bytes;
    }

    private Mono<Void> start(
            ServerWebExchange exchange,
            WebFilterChain chain,
            IdempotentEndpoint endpoint,
            String mapping,
            String principal,
            Received received) {
        ServerHttpRequest request = exchange.getRequest();
        ServerWebExchange repeatable = received.isForm()
                ? exchange
                : exchange.mutate()
                        .request(new RepeatedBody(exchange, received.body()))
                        .build();
        IdempotencyKey key = endpoint.keyOf(viewOf(exchange, principal, received), headerValues(request), mapping);
        if (key == null) {
            return chain.filter(repeatable);
        }
        String digest = digestOf(request, received);
        return blocking(() -> http.start(endpoint, key, digest)).flatMap(start -> {
            String scope = endpoint.scopeName(mapping);
            if (start instanceof Start.Granted granted) {
                return run(repeatable, chain, scope, granted.execution());
            }
            if (start instanceof Start.Answered answered) {
                Mono<Void> replayed = replay(answered.answer(), exchange.getResponse());
                http.count(scope, Outcome.REPLAYED);
                return replayed;
            }
            return Mono.error(start instanceof Start.OtherRequest ? IdempotentHttp.otherRequest() : http.inProgress());
        });
    }

    private List<String> headerValues(ServerHttpRequest request) {
        return request.getHeaders().headerSet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase(http.header()))
                .flatMap(header -> header.getValue().stream())
                .toList();
    }

    private IdempotentRequest viewOf(ServerWebExchange exchange, String principal, Received received) {
        ServerHttpRequest request = exchange.getRequest();
        return new IdempotentRequest(
                name -> request.getHeaders().getFirst(name),
                name -> {
                    String inQuery = request.getQueryParams().getFirst(name);
                    List<String> inForm = received.form().get(name);
                    return inQuery == null && inForm != null ? inForm.get(0) : inQuery;
                },
                exchange.getAttributeOrDefault(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE, Map.of()),
                principal,
                received.body(),
                http.serializer());
    }

    private static String digestOf(ServerHttpRequest request, Received received) {
        String query = request.getURI().getRawQuery();
        RequestDigest digest = new RequestDigest()
                .add(request.getMethod().name())
                .add(request.getURI().getRawPath())
                .add(query == null ? "" : query);
        received.form().forEach((name, values) -> {
            digest.add(name).add(String.valueOf(values.size())); // so that no value is taken for a name
            values.forEach(value -> digest.add(String.valueOf(value)));
        });
        return digest.add(received.body()).hex();
    }

    /** Goes on when the client goes away: what was begun ends, and its answer is stored. */
    private Mono<Void> run(ServerWebExchange exchange, WebFilterChain chain, String scope, Execution execution) {
        execution.keepAlive();
        RecordedExchange recorded = new RecordedExchange(http, scope, execution, exchange.getResponse());
        Mono<Void> work = chain.filter(exchange.mutate().response(recorded).build())
                .then(Mono.defer(recorded::endWithoutBody))
                .onErrorResume(e -> recorded.fail(e).then(Mono.error(e)));
        return Mono.deferContextual(
                context -> Mono.fromFuture(work.contextWrite(context).toFuture(), true));
    }

    static <T> Mono<T> blocking(Callable<T> step) {
        return Mono.fromCallable(step).subscribeOn(Schedulers.boundedElastic());
    }

    private static Mono<Void> replay(HttpAnswer answer, ServerHttpResponse response) {
        if (answer.kind() == HttpAnswer.Kind.NOT_KEPT) {
            throw IdempotentHttp.notKept(answer);
        }
        response.getHeaders().set(IdempotentHttp.REPLAYED, "true");
        answer.headers().forEach((name, values) -> {
            if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
                response.getHeaders().set(name, values.get(0));
            } else {
                values.forEach(value -> response.getHeaders().add(name, value));
            }
        });
        if (answer.kind() == HttpAnswer.Kind.ERROR) {
            return Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(answer.status()), answer.content()));
        }
        response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
        return write(answer.body(), response);
    }

    private Mono<Void> write(Problem problem, ServerHttpResponse response) {
        response.setStatusCode(HttpStatusCode.valueOf(problem.kind().status));
        response.getHeaders().set(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE);
        if (problem.kind() == Kind.IN_PROGRESS) {
            response.getHeaders().set(HttpHeaders.RETRY_AFTER, http.retryAfter());
        }
        return write(http.serializer().serialize(problem.body()).getBytes(StandardCharsets.UTF_8), response);
    }

    private static Mono<Void> write(byte[] body, ServerHttpResponse response) {
        if (body.length == 0) {
            return response.setComplete();
        }
        response.getHeaders().setContentLength(body.length);
        return response.writeWith(Mono.just(response.bufferFactory().wrap(body)));
    }

    /** The body again, as often as it is asked for. */
    private static final class RepeatedBody extends ServerHttpRequestDecorator {
        private final ServerWebExchange exchange;
        private final byte[] body;

        RepeatedBody(ServerWebExchange exchange, byte[] body) {
            super(exchange.getRequest());
            this.exchange = exchange;
            this.body = body;
        }

        @Override
        public Flux<DataBuffer> getBody() {
            return body.length == 0
                    ? Flux.empty()
                    : Flux.defer(() ->
                            Flux.just(exchange.getResponse().bufferFactory().wrap(body)));
        }
    }
}
