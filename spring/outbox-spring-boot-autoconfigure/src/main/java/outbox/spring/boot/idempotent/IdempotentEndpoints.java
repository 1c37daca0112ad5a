package outbox.spring.boot.idempotent;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.method.HandlerMethod;
import outbox.idempotency.http.Idempotent;

/** Reads and checks {@code @Idempotent}, once per method. Thread-safe. */
final class IdempotentEndpoints {
    private static final String MONO = "reactor.core.publisher.Mono";
    /** By name: an application has only some of them. */
    private static final List<String> STREAMS = List.of(
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.flow.Flow");

    private static final List<String> ASYNCHRONOUS = List.of(
            MONO,
            "java.util.concurrent.Callable",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Future",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask");
    private static final Set<RequestMethod> SAFE =
            EnumSet.of(RequestMethod.GET, RequestMethod.HEAD, RequestMethod.OPTIONS, RequestMethod.TRACE);

    private final IdempotentHttpProperties properties;
    private final Environment environment;
    private final Map<Handler, Optional<IdempotentEndpoint>> known = new ConcurrentHashMap<>();

    /** Classes share the methods that they inherit, and each has its own annotation. */
    private record Handler(Class<?> type, Method method) {}

    IdempotentEndpoints(IdempotentHttpProperties properties, Environment environment) {
        this.properties = properties;
        this.environment = environment;
    }

    /** {@code null} without the annotation. */
    @Nullable
    IdempotentEndpoint of(HandlerMethod method) {
        Handler handler = new Handler(method.getBeanType(), method.getMethod());
        return known.computeIfAbsent(handler, any -> Optional.ofNullable(read(method)))
                .orElse(null);
    }

    /** GET, HEAD, OPTIONS and TRACE run as if there were no annotation. */
    static boolean isSafe(String httpMethod) {
        return SAFE.stream().anyMatch(safe -> safe.name().equals(httpMethod));
    }

    /**
     * Rejects what cannot work.
     *
     * @param httpMethods of its mapping; empty for all
     * @param reactive whether WebFlux calls it
     * @return whether it has the annotation
     */
    boolean check(HandlerMethod method, Set<RequestMethod> httpMethods, boolean reactive) {
        IdempotentEndpoint endpoint = of(method);
        if (endpoint == null) {
            return false;
        }
        if (!httpMethods.isEmpty() && SAFE.containsAll(httpMethods)) {
            if (method.hasMethodAnnotation(Idempotent.class)) {
                throw refusal(method, "it has no effect on " + httpMethods + "; remove it");
            }
            return false; // it is on the class, for its other methods
        }
        if (returns(method, STREAMS) && !returns(method, List.of(MONO))) {
            throw refusal(
                    method,
                    "the method answers with a stream, which cannot be stored; return a single value, or remove the"
                            + " annotation");
        }
        if (endpoint.atomic() && reactive) {
            throw refusal(
                    method,
                    "a WebFlux controller does not run in a JDBC transaction that could also store its answer; set"
                            + " atomic = false, so that the answer is stored afterwards");
        }
        if (endpoint.atomic() && returns(method, ASYNCHRONOUS)) {
            throw refusal(
                    method,
                    "the method answers asynchronously, on another thread than its transaction; set atomic = false, so"
                            + " that the answer is stored afterwards");
        }
        return true;
    }

    private static IllegalStateException refusal(HandlerMethod method, String reason) {
        return new IllegalStateException("@Idempotent on " + method.getShortLogMessage() + ": " + reason);
    }

    private static boolean returns(HandlerMethod method, List<String> names) {
        ResolvableType type = ResolvableType.forMethodReturnType(method.getMethod());
        while (type.resolve() != null) {
            Class<?> raw = type.toClass();
            if (names.stream().anyMatch(name -> isA(raw, name))) {
                return true;
            }
            type = type.getGeneric(0); // such as ResponseEntity<StreamingResponseBody>
        }
        return false;
    }

    private static boolean isA(Class<?> type, String name) {
        ClassLoader loader = IdempotentEndpoints.class.getClassLoader();
        return ClassUtils.isPresent(name, loader)
                && ClassUtils.resolveClassName(name, loader).isAssignableFrom(type);
    }

    private @Nullable IdempotentEndpoint read(HandlerMethod method) {
        Idempotent annotation = method.getMethodAnnotation(Idempotent.class);
        if (annotation == null) {
            annotation = AnnotatedElementUtils.findMergedAnnotation(method.getBeanType(), Idempotent.class);
        }
        if (annotation == null) {
            return null;
        }
        try {
            return new IdempotentEndpoint(
                    properties.getHeader(),
                    annotation.key().isEmpty() ? null : parse(annotation.key()),
                    annotation.required(),
                    annotation.scope(),
                    annotation.tenant().isEmpty() ? null : parse(annotation.tenant()),
                    parse(annotation.caller()),
                    ttl(annotation),
                    annotation.atomic());
        } catch (IllegalArgumentException e) {
            throw refusal(method, String.valueOf(e.getMessage()));
        }
    }

    private static Expression parse(String expression) {
        try {
            return new SpelExpressionParser().parseExpression(expression);
        } catch (ParseException e) {
            throw new IllegalArgumentException("expression cannot be read: " + e.getMessage(), e);
        }
    }

    private Duration ttl(Idempotent annotation) {
        Duration ttl = annotation.ttl().isEmpty()
                ? properties.getTtl()
                : DurationStyle.detectAndParse(environment.resolveRequiredPlaceholders(annotation.ttl()));
        if (ttl.isNegative() || ttl.isZero()) {
            throw new IllegalArgumentException("ttl must be positive: " + ttl);
        }
        return ttl;
    }
}
