package outbox.spring.boot.idempotent;

import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.unit.DataSize;
import outbox.domain.type.PayloadSerializer;
import outbox.idempotency.IdempotencyKey;
import outbox.idempotency.http.HttpAnswer;
import outbox.idempotency.http.IdempotentAnswers;
import outbox.idempotency.http.IdempotentAnswers.Start;
import outbox.spring.boot.OutboxKeys;
import outbox.spring.boot.idempotent.IdempotentMetrics.Outcome;
import outbox.spring.boot.idempotent.Problem.Kind;
import outbox.spring.boot.properties.PropertyGroup;

/** What idempotent controllers have in common on Spring MVC and WebFlux. Thread-safe. */
final class IdempotentHttp implements AutoCloseable {
    /** Tells a client that its request did not run now. */
    static final String REPLAYED = "Idempotent-Replayed";

    /** In Base64 below the 16 MB of a MEDIUMTEXT of MySQL, and below what its packets are usually limited to. */
    private static final DataSize LARGEST_ANSWER = DataSize.ofMegabytes(8);

    private static final PropertyGroup GROUP = new PropertyGroup("outbox.idempotency.http");

    private final ListableBeanFactory beans;
    private final IdempotentHttpProperties properties;
    private final IdempotentEndpoints endpoints;
    private final IdempotentMetrics metrics;
    private final String retryAfter;
    private final int maxRequest;
    private final int maxAnswer;
    private final Set<String> excludedHeaders = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private volatile @Nullable Opened opened;

    /** What is there as soon as a controller needs it. */
    private record Opened(
            IdempotentAnswers answers, PayloadSerializer serializer, PlatformTransactionManager transactionManager) {}

    IdempotentHttp(
            ListableBeanFactory beans,
            IdempotentHttpProperties properties,
            IdempotentMetrics metrics,
            Environment environment) {
        this.beans = beans;
        this.properties = properties;
        this.endpoints = new IdempotentEndpoints(properties, environment);
        this.metrics = metrics;
        this.retryAfter = GROUP.make("retry-after", properties.getRetryAfter(), IdempotentHttp::seconds);
        this.maxRequest = GROUP.make("max-request-size", properties.getMaxRequestSize(), size -> bytes(size, null));
        this.maxAnswer =
                GROUP.make("max-answer-size", properties.getMaxAnswerSize(), size -> bytes(size, LARGEST_ANSWER));
        this.excludedHeaders.addAll(properties.getExcludedHeaders());
    }

    private static String seconds(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("must be positive");
        }
        return Long.toString(Math.max(1, time.plusMillis(999).toSeconds()));
    }

    private static int bytes(DataSize size, @Nullable DataSize most) {
        if (size.toBytes() <= 0 || size.toBytes() >= Integer.MAX_VALUE) {
            throw new IllegalArgumentException("must be positive and below 2GB");
        }
        if (most != null && size.compareTo(most) > 0) {
            throw new IllegalArgumentException("must be at most " + most.toMegabytes() + "MB");
        }
        return (int) size.toBytes();
    }

    IdempotentEndpoints endpoints() {
        return endpoints;
    }

    String header() {
        return properties.getHeader();
    }

    /** In seconds. */
    String retryAfter() {
        return retryAfter;
    }

    int maxRequest() {
        return maxRequest;
    }

    int maxAnswer() {
        return maxAnswer;
    }

    Set<String> excludedHeaders() {
        return excludedHeaders;
    }

    PayloadSerializer serializer() {
        return open().serializer();
    }

    PlatformTransactionManager transactionManager() {
        return open().transactionManager();
    }

    void count(String scope, Outcome outcome) {
        metrics.count(scope, outcome);
    }

    /** Claims the key of a request. */
    Start start(IdempotentEndpoint endpoint, IdempotencyKey key, String digest) {
        return open().answers().start(key, digest, endpoint.ttl());
    }

    Problem inProgress() {
        return new Problem(
                Kind.IN_PROGRESS,
                "The first request with this idempotency key has not been answered yet. Send it again in " + retryAfter
                        + " s.");
    }

    static Problem otherRequest() {
        return new Problem(
                Kind.OTHER_REQUEST,
                "This idempotency key was used for a request with another body or address. Choose a new key for a new"
                        + " request.");
    }

    static Problem notKept(HttpAnswer answer) {
        return new Problem(
                Kind.ANSWER_NOT_KEPT,
                "The request was answered with status " + answer.status()
                        + " before, and its answer was not kept, because it was too large or a stream. It does not run"
                        + " again.");
    }

    Problem bodyTooLarge() {
        return new Problem(
                Kind.BODY_TOO_LARGE,
                "The body of a request with an idempotency key has at most " + maxRequest + " bytes.");
    }

    /** Fails if something is missing that an idempotent controller needs. */
    Opened open() {
        Opened known = opened;
        if (known != null) {
            return known;
        }
        synchronized (this) {
            Opened now = opened;
            if (now == null) {
                OutboxKeys keys = keys();
                keys.requireTable().run();
                PayloadSerializer serializer = beans.getBean(PayloadSerializer.class);
                IdempotentAnswers answers = GROUP.make(
                        "lease",
                        properties.getLease(),
                        lease -> new IdempotentAnswers(keys.records(), keys.transactions(), serializer, lease));
                now = new Opened(answers, serializer, keys.transactionManager());
                opened = now;
            }
            return now;
        }
    }

    private OutboxKeys keys() {
        String instance = properties.getInstance();
        if (instance != null) {
            String bean = instance + "OutboxKeys";
            if (!beans.containsBean(bean)) {
                throw new IllegalStateException("outbox.idempotency.http.instance=" + instance
                        + ": there is no such instance in outbox.instances");
            }
            return beans.getBean(bean, OutboxKeys.class);
        }
        OutboxKeys keys = beans.getBeanProvider(OutboxKeys.class).getIfUnique();
        if (keys != null) {
            return keys;
        }
        throw new IllegalStateException(
                beans.getBeanNamesForType(OutboxKeys.class).length == 0
                        ? "@Idempotent needs an outbox with a database to store answers, and there is none: configure a"
                                + " data source, or set outbox.idempotency.http.enabled=false to run its methods for"
                                + " every request"
                        : "there are several outboxes: set outbox.idempotency.http.instance to the one that stores the"
                                + " answers of @Idempotent");
    }

    @Override
    public synchronized void close() {
        if (opened != null) {
            opened.answers().close();
        }
    }
}
