package outbox.spring.boot.idempotent;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.ErrorResponse;
import outbox.idempotency.http.Execution;
import outbox.idempotency.http.HttpAnswer;
import outbox.spring.boot.idempotent.IdempotentMetrics.Outcome;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** One request on WebFlux that runs under its key: its answer is stored before it is sent. */
final class RecordedExchange extends ServerHttpResponseDecorator {
    private static final int OK = 200;

    private final IdempotentHttp http;
    private final String scope;
    private final Execution execution;
    private final Map<String, List<String>> before;
    private final AtomicBoolean ended = new AtomicBoolean();

    RecordedExchange(IdempotentHttp http, String scope, Execution execution, ServerHttpResponse response) {
        super(response);
        this.http = http;
        this.scope = scope;
        this.execution = execution;
        this.before = headers();
    }

    @Override
    public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
        return DataBufferUtils.join(Flux.from(body))
                .map(IdempotentWebFilter::bytes)
                .defaultIfEmpty(new byte[0])
                .flatMap(bytes -> end(answer(bytes))
                        .then(Mono.defer(() -> super.writeWith(
                                bytes.length == 0
                                        ? Mono.empty()
                                        : Mono.just(bufferFactory().wrap(bytes))))));
    }

    @Override
    public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
        return writeWith(Flux.from(body).concatMap(Flux::from));
    }

    @Override
    public Mono<Void> setComplete() {
        return endWithoutBody().then(Mono.defer(super::setComplete));
    }

    /** The controller is done and wrote nothing, or everything. */
    Mono<Void> endWithoutBody() {
        return Mono.defer(() -> end(answer(new byte[0])));
    }

    /** An exception that no exception handler of a controller turned into an answer. */
    Mono<Void> fail(Throwable failure) {
        return Mono.defer(() -> end(
                failure instanceof ErrorResponse refusal
                        ? HttpAnswer.error(refusal.getStatusCode().value(), keptHeaders(), reasonOf(refusal))
                        : HttpAnswer.notKept(500)));
    }

    private static String reasonOf(ErrorResponse refusal) {
        String detail = refusal.getBody().getDetail();
        return detail == null ? "" : detail;
    }

    private Mono<Void> end(HttpAnswer answer) {
        if (!ended.compareAndSet(false, true)) {
            return Mono.empty();
        }
        return IdempotentWebFilter.blocking(() -> {
                    boolean kept = HttpAnswer.isFinal(answer.status());
                    if (kept) {
                        execution.storeAlone(answer);
                    } else {
                        execution.release("answered with status " + answer.status());
                    }
                    http.count(scope, kept ? Outcome.EXECUTED : Outcome.NOT_STORED);
                    return kept;
                })
                .then();
    }

    private HttpAnswer answer(byte[] body) {
        HttpStatusCode code = getStatusCode();
        int status = code == null ? OK : code.value();
        return body.length > http.maxAnswer()
                ? HttpAnswer.notKept(status)
                : HttpAnswer.complete(status, keptHeaders(), body);
    }

    private Map<String, List<String>> keptHeaders() {
        return HttpAnswer.headersToKeep(before, headers(), http.excludedHeaders());
    }

    private Map<String, List<String>> headers() {
        Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        getHeaders().headerSet().forEach(header -> headers.put(header.getKey(), new ArrayList<>(header.getValue())));
        return headers;
    }
}
