package outbox.spring.boot.idempotent;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.http.HttpHeaders;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.AsyncHandlerInterceptor;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.ModelAndView;
import outbox.idempotency.IdempotencyKey;
import outbox.idempotency.http.Execution;
import outbox.idempotency.http.HttpAnswer;
import outbox.idempotency.http.IdempotentAnswers.Start;
import outbox.idempotency.http.RequestDigest;
import outbox.spring.boot.idempotent.IdempotentFilter.Wrapped;
import outbox.spring.boot.idempotent.IdempotentMetrics.Outcome;

/** Decides what becomes of a request to a controller method with {@code @Idempotent}. Thread-safe. */
final class IdempotentInterceptor implements AsyncHandlerInterceptor {
    private final IdempotentHttp http;
    private final BeanFactory beans;

    /** @param beans with the exception resolver of Spring MVC, which is created later */
    IdempotentInterceptor(IdempotentHttp http, BeanFactory beans) {
        this.http = http;
        this.beans = beans;
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException, ServletException {
        if (!(handler instanceof HandlerMethod method)
                || IdempotentEndpoints.isSafe(request.getMethod())
                || ServletExchange.of(request) != null) { // the second dispatch of an asynchronous request
            return true;
        }
        IdempotentEndpoint endpoint = http.endpoints().of(method);
        if (endpoint == null) {
            return true;
        }
        String mapping =
                request.getMethod() + " " + request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
        String scope = endpoint.scopeName(mapping);
        try {
            return start(request, response, endpoint, mapping, scope);
        } catch (Problem problem) {
            write(problem, response);
            http.count(scope, problem.kind().outcome);
            return false;
        }
    }

    /** @return whether the controller runs */
    private boolean start(
            HttpServletRequest request,
            HttpServletResponse response,
            IdempotentEndpoint endpoint,
            String mapping,
            String scope)
            throws IOException, ServletException {
        Wrapped wrapped = Wrapped.of(request);
        if (wrapped == null) {
            throw new IllegalStateException(
                    "@Idempotent needs the filter outboxIdempotentFilter, which this request did"
                            + " not pass; do not disable it, or set outbox.idempotency.http.enabled=false");
        }
        RequestDigest digest = new RequestDigest()
                .add(request.getMethod())
                .add(request.getRequestURI())
                .add(request.getQueryString() == null ? "" : request.getQueryString());
        byte[] body = readBody(request, wrapped.request(), digest);
        IdempotencyKey key =
                endpoint.keyOf(viewOf(request, body), Collections.list(request.getHeaders(http.header())), mapping);
        if (key == null) {
            return true;
        }
        Start start = http.start(endpoint, key, digest.hex());
        if (start instanceof Start.Granted granted) {
            run(request, wrapped, endpoint, scope, granted.execution());
            return true;
        }
        if (start instanceof Start.Answered answered) {
            replay(answered.answer(), response);
            http.count(scope, Outcome.REPLAYED);
            return false;
        }
        throw start instanceof Start.OtherRequest ? IdempotentHttp.otherRequest() : http.inProgress();
    }

    private IdempotentRequest viewOf(HttpServletRequest request, byte[] body) {
        Principal principal = request.getUserPrincipal();
        Object path = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
        return new IdempotentRequest(
                request::getHeader,
                request::getParameter,
                path instanceof Map<?, ?> variables ? variables : Map.of(),
                principal == null ? "" : String.valueOf(principal.getName()),
                body,
                http.serializer());
    }

    /** @return the body; empty if the container has read it as a form or as parts */
    private byte[] readBody(HttpServletRequest request, BufferedRequest buffered, RequestDigest digest)
            throws IOException, ServletException {
        String type = String.valueOf(request.getContentType()).toLowerCase(Locale.ROOT);
        if (type.startsWith("multipart/")) {
            for (var part : request.getParts()) {
                digest.add(part.getName())
                        .add(String.valueOf(part.getSubmittedFileName()))
                        .add(String.valueOf(part.getContentType()));
                try (var content = part.getInputStream()) {
                    digest.add(content);
                }
            }
            return new byte[0];
        }
        if (type.startsWith("application/x-www-form-urlencoded")) {
            new TreeMap<>(request.getParameterMap()).forEach((name, values) -> {
                digest.add(name).add(String.valueOf(values.length)); // so that no value is taken for a name
                for (String value : values) {
                    digest.add(value);
                }
            });
            return new byte[0];
        }
        byte[] body = buffered.buffer(http.maxRequest());
        if (body == null) {
            throw http.bodyTooLarge();
        }
        digest.add(body);
        return body;
    }

    private void run(
            HttpServletRequest request,
            Wrapped wrapped,
            IdempotentEndpoint endpoint,
            String scope,
            Execution execution) {
        TransactionStatus transaction = null;
        if (endpoint.atomic()) {
            transaction = open(execution);
        } else {
            execution.keepAlive();
        }
        wrapped.request().restrict(endpoint.atomic());
        new ServletExchange(http, scope, execution, transaction, request, wrapped.response()).begin();
    }

    private TransactionStatus open(Execution execution) {
        PlatformTransactionManager manager = http.transactionManager();
        TransactionStatus transaction = null;
        try {
            transaction = manager.getTransaction(
                    new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
            if (execution.hold()) {
                return transaction;
            }
            throw http.inProgress();
        } catch (RuntimeException | Error e) {
            try {
                if (transaction != null && !transaction.isCompleted()) {
                    manager.rollback(transaction);
                }
            } catch (RuntimeException | Error second) {
                e.addSuppressed(second);
            }
            execution.release(e.toString());
            throw e;
        }
    }

    @Override
    public void afterConcurrentHandlingStarted(
            HttpServletRequest request, HttpServletResponse response, Object handler) {
        ServletExchange exchange = ServletExchange.of(request);
        if (exchange != null && request.isAsyncStarted()) {
            request.getAsyncContext().addListener(new EndOfAsync(exchange));
        }
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure)
            throws IOException {
        ServletExchange exchange = ServletExchange.of(request);
        if (exchange != null && request.getDispatcherType() != DispatcherType.INCLUDE) {
            exchange.end(failure, commitFailure -> resolve(request, response, handler, commitFailure));
        }
    }

    /** The exception handlers of the application are for exceptions of the commit too. */
    private boolean resolve(
            HttpServletRequest request, HttpServletResponse response, Object handler, Exception failure) {
        ModelAndView resolved = beans.getBean("handlerExceptionResolver", HandlerExceptionResolver.class)
                .resolveException(request, response, handler, failure);
        return resolved != null && resolved.isEmpty();
    }

    private static void replay(HttpAnswer answer, HttpServletResponse response) throws IOException {
        if (answer.kind() == HttpAnswer.Kind.NOT_KEPT) {
            throw IdempotentHttp.notKept(answer);
        }
        response.setHeader(IdempotentHttp.REPLAYED, "true");
        answer.headers().forEach((name, values) -> {
            if (name.equalsIgnoreCase(HttpHeaders.CONTENT_TYPE)) {
                response.setContentType(values.get(0));
            } else {
                values.forEach(value -> response.addHeader(name, value));
            }
        });
        if (answer.kind() == HttpAnswer.Kind.ERROR) {
            if (answer.content().isEmpty()) {
                response.sendError(answer.status());
            } else {
                response.sendError(answer.status(), answer.content());
            }
            return;
        }
        response.setStatus(answer.status());
        byte[] body = answer.body();
        if (body.length > 0) {
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }
    }

    private void write(Problem problem, HttpServletResponse response) throws IOException {
        response.setStatus(problem.kind().status);
        response.setContentType(Problem.MEDIA_TYPE);
        if (problem.kind() == Problem.Kind.IN_PROGRESS) {
            response.setHeader(HttpHeaders.RETRY_AFTER, http.retryAfter());
        }
        byte[] body = http.serializer().serialize(problem.body()).getBytes(StandardCharsets.UTF_8);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /** Also for a client that went away. */
    private record EndOfAsync(ServletExchange exchange) implements AsyncListener {
        @Override
        public void onComplete(AsyncEvent event) {
            exchange.endAsync();
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
