package outbox.webhook;

/**
 * The endpoint answered 410 (gone) or was disabled; nothing was sent. Its events become dead letters with this cause
 * and can be replayed after {@link WebhookPublisher#enable()}.
 */
public class EndpointDisabledException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    EndpointDisabledException(String message) {
        super(message);
    }
}
