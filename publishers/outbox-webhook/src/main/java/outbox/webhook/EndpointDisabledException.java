package outbox.webhook;

/**
 * The endpoint has said that it is gone (410), or was disabled; nothing was sent. Events are dead with this cause, and
 * can be replayed after {@link WebhookPublisher#enable()}.
 */
public class EndpointDisabledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EndpointDisabledException(String message) {
        super(message);
    }
}
