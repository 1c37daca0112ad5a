package outbox.node;

import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import outbox.spi.BreakerState;
import outbox.webhook.WebhookEndpoint;
import outbox.webhook.WebhookPublisher;

/**
 * The webhook endpoints of this process. Operators can see them, enable them again after they disabled themselves, send
 * a test event and rotate their secret. To make one pausable, pass its listener to {@link Switchboard#of} too; both are
 * shown as one line. Thread-safe.
 */
public final class WebhookSwitchboard implements Switchboard {
    /** Sends a test event. */
    public static final String TEST = "test";
    /** Ends the disabled state. */
    public static final String ENABLE = "enable";
    /** Rotates the secret. */
    public static final String ROTATE = "rotate";

    private static final long PATIENCE_SECONDS = WebhookEndpoint.MAX_TIMEOUT.toSeconds() + 5;

    private final List<WebhookPublisher> publishers;
    private final @Nullable WebhookSecretRotation rotation;

    public WebhookSwitchboard(WebhookPublisher... publishers) {
        this(null, publishers);
    }

    /** @param rotation {@code null} if operators cannot rotate secrets */
    public WebhookSwitchboard(@Nullable WebhookSecretRotation rotation, WebhookPublisher... publishers) {
        this.rotation = rotation;
        this.publishers = List.of(publishers);
    }

    @Override
    public List<HandlerStatus> handlers() {
        return publishers.stream()
                .map(publisher -> new HandlerStatus(
                        name(publisher),
                        "webhook",
                        String.valueOf(publisher.endpoint().url().getHost()),
                        false,
                        publisher.isDisabled(),
                        BreakerState.CLOSED,
                        0,
                        0,
                        0,
                        0,
                        rotation == null ? Set.of(TEST, ENABLE) : Set.of(TEST, ENABLE, ROTATE)))
                .toList();
    }

    /** The name given by {@link WebhookPublisher#controlled}. */
    private static String name(WebhookPublisher publisher) {
        return "webhook-" + publisher.endpoint().name();
    }

    @Override
    public boolean setPaused(String handler, boolean paused) {
        return false;
    }

    @Override
    public @Nullable String perform(String action, String handler) {
        for (WebhookPublisher publisher : publishers) {
            if (name(publisher).equals(handler)) {
                return switch (action) {
                    case ENABLE -> {
                        publisher.enable();
                        yield "enabled";
                    }
                    case TEST -> test(publisher);
                    case ROTATE -> rotate(publisher);
                    default -> null;
                };
            }
        }
        return null;
    }

    private @Nullable String rotate(WebhookPublisher publisher) {
        if (rotation == null) {
            return null;
        }
        try {
            return rotation.rotate(publisher.endpoint());
        } catch (Exception e) {
            return "failed: " + e.getMessage();
        }
    }

    private static String test(WebhookPublisher publisher) {
        try {
            publisher.sendTest().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return "the endpoint accepted the test event";
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return "failed: " + cause.getMessage();
        } catch (TimeoutException e) {
            return "failed: no answer in " + PATIENCE_SECONDS + " s";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "failed: interrupted";
        }
    }
}
