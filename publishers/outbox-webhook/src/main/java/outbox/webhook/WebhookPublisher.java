package outbox.webhook;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import outbox.AsyncEventListener;
import outbox.EventEnvelope;
import outbox.RetryAfterException;
import outbox.listener.ControlledListener;

/**
 * Sends events to one endpoint, each as a signed request. Many are in flight at once without blocking threads.
 *
 * <p>A status of 2xx is success. Everything else is a failed attempt: redirects are not followed; 410 disables the
 * endpoint; after 429, 502, 503 and 504 the next attempt waits as long as {@code Retry-After} asks, and so do other
 * events of the endpoint, up to a minute. An event that does not match the endpoint's filter is done at once.
 *
 * <p>Register the result of {@link #controlled()}, so that the engine applies the endpoint's concurrency limit and
 * circuit breaker. Thread-safe.
 */
public final class WebhookPublisher implements AsyncEventListener {
    /** The event type of {@link #sendTest()}. */
    public static final String TEST_TYPE = "outbox.test";

    private static final Logger LOG = System.getLogger(WebhookPublisher.class.getName());

    private final WebhookEndpoint endpoint;
    private final WebhookClient client;
    private final InstantSource clock;
    private final Pace pace;

    private volatile boolean disabled;
    private volatile Consumer<WebhookEndpoint> onDisabled = endpoint -> {};

    WebhookPublisher(WebhookEndpoint endpoint, WebhookClient client, InstantSource clock) {
        this.endpoint = endpoint;
        this.client = client;
        this.clock = clock;
        this.pace = new Pace(endpoint.ratePerSecond());
    }

    /** This publisher with the endpoint's limits, to register for event types; more rules can be added. */
    public ControlledListener.Builder controlled() {
        return ControlledListener.of(this)
                .name("webhook-" + endpoint.name())
                .concurrency(endpoint.concurrency())
                .circuitBreaker(endpoint.breakerFailures(), endpoint.breakerPause())
                .deadOn(EndpointDisabledException.class)
                .deadOn(UnsendableEventException.class);
    }

    public WebhookEndpoint endpoint() {
        return endpoint;
    }

    /** Called each time the endpoint is disabled by a status of 410, for instance to store that. */
    public WebhookPublisher onDisabled(Consumer<WebhookEndpoint> listener) {
        this.onDisabled = listener;
        return this;
    }

    public boolean isDisabled() {
        return disabled;
    }

    /** Stops sending; events become dead letters at once. */
    public void disable() {
        disabled = true;
    }

    /** Resumes sending; dead letters can be replayed now. */
    public void enable() {
        disabled = false;
    }

    @Override
    public CompletionStage<?> onEventAsync(EventEnvelope event) {
        if (!endpoint.takes(event)) {
            return CompletableFuture.completedFuture(null);
        }
        long wait = pace.reserve(System.nanoTime());
        return wait > 0 ? client.after(wait).thenCompose(ignored -> send(event)) : send(event);
    }

    /**
     * Sends an event of type {@value #TEST_TYPE} that is in no table, also while the endpoint is disabled.
     *
     * @return completes exceptionally if the endpoint does not answer with a status of 2xx
     */
    public CompletionStage<?> sendTest() {
        EventEnvelope event =
                EventEnvelope.builder(TEST_TYPE).payloadJson("{\"test\":true}").build();
        return sendNow(event);
    }

    private CompletionStage<?> send(EventEnvelope event) {
        if (disabled) {
            throw new EndpointDisabledException(
                    "endpoint " + endpoint + " is disabled; replay the event after enabling it");
        }
        return sendNow(event);
    }

    private CompletionStage<?> sendNow(EventEnvelope event) {
        return client.send(SignedRequest.of(endpoint, event, clock.instant()), endpoint.timeout())
                .thenAccept(this::check);
    }

    private void check(Reply reply) {
        int status = reply.statusCode();
        if (status >= 200 && status < 300) {
            return;
        }
        String answer = "endpoint " + endpoint + " answered " + status;
        throw switch (status) {
            case 410 -> gone(answer);
            case 429, 502, 503, 504 -> busy(reply, answer);
            default ->
                new WebhookResponseException(
                        status, status >= 300 && status < 400 ? answer + "; redirects are not followed" : answer);
        };
    }

    private EndpointDisabledException gone(String answer) {
        boolean first;
        synchronized (this) {
            first = !disabled;
            disabled = true;
        }
        if (first) {
            LOG.log(
                    Level.WARNING,
                    answer
                            + " (gone) and is disabled; its events become dead letters until it is enabled, and can be replayed then");
            try {
                onDisabled.accept(endpoint);
            } catch (RuntimeException e) {
                LOG.log(
                        Level.WARNING,
                        "callback failed after disabling endpoint " + endpoint + "; the endpoint is disabled",
                        e);
            }
        }
        return new EndpointDisabledException(answer + " (gone) and is disabled");
    }

    private RuntimeException busy(Reply reply, String answer) {
        Duration wait = RetryAfter.parse(reply.header("retry-after"), clock.instant());
        if (wait == null) {
            return new WebhookResponseException(reply.statusCode(), answer);
        }
        pace.pause(System.nanoTime(), wait);
        return new RetryAfterException(wait, answer + " with Retry-After " + wait);
    }

    @Override
    public String toString() {
        return "webhook " + endpoint;
    }
}
